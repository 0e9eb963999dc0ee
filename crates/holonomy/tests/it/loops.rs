//! Physical animation that repeats (Jia et al. 2023): against closed forms, differences and peers.

mod asked;
mod bodies;
mod cloth;
mod core;
mod guesses;
mod honesty;
mod laws;
