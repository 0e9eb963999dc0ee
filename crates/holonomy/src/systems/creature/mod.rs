//! Creatures with many legs: centipedes and millipedes that walk, sense and decide (Fang 2015).
//!
//! A [`MakeUp`](make_up::MakeUp) says what a creature is; a [`Walker`](walk::Walker) moves its legs and says where its segments go, a tick of control at a time.
//! Everything here is kinematics and decisions. What carries no leg moves as dynamics tells.
//!
//! Frame of a segment: x forward, towards the head; y up; z to the animal's right.

mod aloft;
pub mod antenna;
mod appearance;
mod birth;
pub mod body_mode;
pub mod brain;
pub mod cycle;
pub mod economy;
pub mod leg;
mod life;
pub mod make_up;
mod perceive;
pub mod pool;
mod presets;
pub mod record;
pub mod righting;
pub mod senses;
pub mod steady;
mod stride;
pub mod swim;
pub mod switcher;
pub mod targeter;
pub mod trail;
pub mod walk;
pub mod will;
pub mod world;
