//! All integration tests of the library, in one binary so that it is linked once.

mod counts;
mod layers;
