# A small image with a static binary: docker build -t queens . && docker run --rm queens 16
FROM rust:1-alpine AS build
RUN apk add --no-cache musl-dev
WORKDIR /queens
COPY . .
RUN cargo build --release --locked && strip target/release/queens

# The shell computes numbers of shards (docs/CLUSTER.md).
FROM alpine:3
COPY --from=build /queens/target/release/queens /usr/local/bin/queens
# Counting needs no privileges. For checkpoints, this user needs write access to the folder.
USER 65534:65534
ENTRYPOINT ["queens"]
