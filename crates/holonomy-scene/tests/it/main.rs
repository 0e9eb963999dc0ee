//! Integration tests of holonomy-scene, one binary.

mod bvh;
mod masses;
mod obj;
mod scene;
