//! All integration tests of the library, in one binary so that the library is linked only once.
#![cfg_attr(
    not(target_os = "linux"),
    allow(unused_imports, dead_code, reason = "some tests run on Linux alone")
)]

mod counts;
mod layers;
