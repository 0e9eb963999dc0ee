//! The one integration-test binary of this crate.

mod bvh;
mod masses;
mod obj;
