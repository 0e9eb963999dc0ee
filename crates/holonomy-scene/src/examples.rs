//! The built-in examples: the scene files of `examples/`, carried inside the program. The crate's folder has a link to them, which packages follow.

use crate::suggest::did_you_mean;

/// One built-in example.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Example {
    /// Its name, as in `holonomy run NAME`.
    pub name: &'static str,
    /// The system it shows, which is its folder in `examples/`.
    pub system: &'static str,
    /// The scene file.
    pub text: &'static str,
}

macro_rules! examples {
    ($($system:literal / $name:literal),* $(,)?) => {
        /// All of them, by system.
        pub const ALL: &[Example] = &[$(Example {
            name: $name,
            system: $system,
            text: include_str!(concat!("../examples/", $system, "/", $name, ".toml")),
        }),*];
    };
}

examples![
    "shape-change" / "snake",
    "shape-change" / "snake-substrates",
    "shape-change" / "snake-mocap-like",
    "shape-change" / "snake-hills",
    "shape-change" / "keyframes",
    "shape-change" / "sidewinder",
    "shape-change" / "concertina",
    "shape-change" / "worm",
    "shape-change" / "sperm",
    "shape-change" / "stingray",
    "shape-change" / "ray-robot",
    "shape-change" / "jellyfish",
    "shape-change" / "scallop",
    "shape-change" / "three-link",
    "shape-change" / "scallop-inertia",
    "shape-change" / "eel-glide",
    "shape-change" / "sinking",
    "shape-change" / "astronaut",
    "shape-change" / "cat",
    "shape-change" / "diver",
    "shape-change" / "dzhanibekov",
    "flow" / "sink",
    "flow" / "falling-plates",
    "flow" / "leaves",
    "flow" / "leaves-wind",
    "flow" / "maple-seed",
    "flow" / "paper-copter",
    "flow" / "parachute",
    "flow" / "splash",
    "flow" / "turtle",
    "flow" / "eel",
    "flow" / "zeppelin",
    "flow" / "fish",
    "vehicle" / "helicopter",
    "vehicle" / "boat",
    "vehicle" / "snakeboard",
    "vehicle" / "underwater",
    "plan" / "car-parking",
    "plan" / "plan-helicopter",
    "plan" / "plan-boat",
    "plan" / "boat-wake",
    "plan" / "plan-car",
    "plan" / "plan-quadrotor",
    "plan" / "plan-trailer",
    "plan" / "plan-zeppelin",
    "comparison" / "rigid-body",
    "comparison" / "car-inputs",
    "loop" / "loop-five-body",
    "loop" / "loop-three-body",
    "loop" / "loop-figure-eight",
    "loop" / "loop-tumbler",
    "loop" / "loop-flag",
    "loop" / "loop-big-flag",
    "loop" / "loop-ribbons",
    "loop" / "loop-doughnut",
    "loop" / "loop-wobbly-bar",
    "loop" / "loop-swinging-cloth",
    "loop" / "loop-twisting-bar",
    "loop" / "loop-keyframes",
    "creature" / "centipede",
    "creature" / "centipede-cycle",
    "creature" / "centipede-drop",
    "creature" / "centipede-righting",
    "creature" / "millipede",
    "creature" / "myriapods",
    "creature" / "centipede-rough",
    "creature" / "centipede-blob",
    "creature" / "centipede-dunes",
    "creature" / "forager",
    "creature" / "shallow-walk",
    "creature" / "muscles",
    "creature" / "swimmer",
    "creature" / "swimmer-cycle",
    "creature" / "stroke-grid",
    "creature" / "swimmer-turn",
    "creature" / "race-frequency",
    "creature" / "race-phase",
    "creature" / "swimmer-forage",
    "creature" / "pool-rain",
    "creature" / "amphibious",
    "creature" / "predator",
    "creature" / "procession",
    "creature" / "trail",
];

/// The example of that name.
///
/// # Errors
/// There is none; the text suggests the nearest name, or lists all if none is near.
pub fn find(name: &str) -> Result<&'static Example, crate::Error> {
    ALL.iter().find(|example| example.name == name).ok_or_else(|| {
        let near = did_you_mean(name, ALL.iter().map(|example| example.name));
        let names = || ALL.iter().map(|example| example.name).collect::<Vec<_>>().join(", ");
        let hint = near.map_or_else(|| format!("\n  examples: {}", names()), |near| format!("; did you mean `{near}`?"));
        crate::Error::Choice(format!("`{name}` is neither a file nor an example{hint}"))
    })
}
