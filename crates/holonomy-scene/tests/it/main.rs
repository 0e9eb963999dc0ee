//! All integration tests of this crate, in one binary.
mod export;
mod glb_reader;
