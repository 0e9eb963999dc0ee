//! Creatures with many legs: centipedes and millipedes that walk, sense and decide (Fang 2015).
//!
//! A [`MakeUp`](make_up::MakeUp) says what a creature is; a [`Walker`](walk::Walker) moves its legs and says where its segments go, a tick of control at a time.
//! Everything here is kinematics and decisions. What carries no leg moves as dynamics tells.
//!
//! A [`World`](world::World) is stepped by hand, some 300 ticks a second, and its creatures may be told where to go at each:
//!
//! ```
//! use holonomy::lie::Pose;
//! use holonomy::models::myriapod::Coat;
//! use holonomy::systems::creature::make_up::MakeUp;
//! use holonomy::systems::creature::will::Order;
//! use holonomy::systems::creature::world::{Creature, World, WorldSettings};
//!
//! let creatures = vec![Creature::new("it", MakeUp::centipede())];
//! let world = World::new(WorldSettings { creatures, ..WorldSettings::default() })?;
//! let mut state = world.begin()?;
//! let skin = world.animal(0, &state.creatures[0], Coat::default())?; // its rig: joints, triangles, weights
//! for _frame in 0..30 {
//!     state.creatures[0].order = Some(Order { from: 0.0, speed: 0.1, turn: 0.3, pitch: 0.0 }); // m/s, rad/s to the left
//!     for _tick in 0..5 {
//!         world.tick(&mut state, 1.0 / 300.0)?;
//!     }
//!     let joints = skin.joint_poses(&world.posture(0, &state.creatures[0], &Pose::identity()))?; // to draw it
//!     assert_eq!(joints.len(), skin.rig().joints.len());
//! }
//! # Ok::<(), holonomy::Error>(())
//! ```
//!
//! Frame of a segment: x forward, towards the head; y up; z to the animal's right.

pub mod antenna;
mod appearance;
pub mod balance;
mod birth;
pub mod body_mode;
pub mod brain;
pub mod cycle;
pub mod economy;
pub mod ground_force;
pub mod leg;
mod life;
pub mod make_up;
mod perceive;
pub mod pool;
mod presets;
pub mod progress;
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
