//! The integration tests of the engine, one binary.

mod added_mass;
mod allocations;
mod bones;
mod contact;
mod degenerate;
mod flow;
mod flow_bodies;
mod flow_field;
mod flow_models;
mod forces;
mod inertia;
mod interactive;
mod level;
mod lie;
mod meshes;
mod models;
mod quadratic;
mod random;
mod resistive_force;
mod runs;
mod shape;
mod shape_change;
mod stones;
mod surface_force;
mod time_edge;
mod variational;
