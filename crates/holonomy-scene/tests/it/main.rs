//! Integration tests of `holonomy-scene`, one binary.

mod gltf_bad;
mod gltf_build;
mod gltf_real;
mod gltf_synthetic;
