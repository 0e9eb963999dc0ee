//! Integration tests of holonomy-scene, one binary.

mod bodies;
mod bvh;
mod examples;
mod export;
mod flights;
mod flow;
mod glb_reader;
mod gltf_bad;
mod gltf_build;
mod gltf_real;
mod gltf_synthetic;
mod inertia_examples;
mod job;
mod lamprey;
mod laws;
mod loops;
mod masses;
mod obj;
mod picture;
mod plot;
mod random;
mod scene;
mod scenery;
mod skins;
mod sweep;
mod vehicles;
