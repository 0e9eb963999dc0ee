//! Integration tests of holonomy-scene, one binary.

mod scene;
