//! All integration tests of the library, in one binary so that the library is linked only once.

mod counts;
mod layers;
