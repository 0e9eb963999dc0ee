//! Integration tests of holonomy-scene, one binary.

mod bvh;
mod export;
mod glb_reader;
mod masses;
mod obj;
mod scene;
