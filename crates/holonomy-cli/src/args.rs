//! What can be typed.

use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use holonomy::medium::Medium;
use holonomy_scene::picture::MOST_GHOSTS;

/// Turns changing shapes into physically right motion.
#[derive(Debug, Parser)]
#[command(name = "holonomy", version, max_term_width = 100, arg_required_else_help = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Run a scene file, or a built-in example by name
    Run(Run),
    /// Give an in-place clip (.glb, .gltf, .bvh, .obj sequence) the world motion its shape change makes
    Move(Box<Move>),
    /// Run variations of a scene, a grid over any of its fields, in parallel into one table; goes on where it was stopped
    Sweep(Sweep),
    /// Draw a result: a still, an animation, or numbered frames
    Render(Render),
    /// Open the page of a result in the browser
    View(View),
    /// Say what is in an asset: units, axes, clips, vertices, watertight or not
    Inspect(Inspect),
    /// List the built-in examples, look for some, print one, or run them all into a gallery
    Examples(Examples),
    /// Print the JSON Schema of scene files
    Schema,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

impl Verb {
    /// Whether standard output is to be one JSON document.
    pub fn wants_json(&self) -> bool {
        match self {
            Verb::Run(args) => args.common.json,
            Verb::Move(args) => args.common.json,
            Verb::Sweep(args) => args.json,
            Verb::Render(args) => args.json,
            Verb::View(args) => args.json,
            Verb::Inspect(args) => args.json,
            Verb::Examples(args) => args.json,
            _ => false,
        }
    }
}

/// Options of every verb that computes.
#[derive(Debug, Args)]
pub struct Common {
    /// Folder for the results
    #[arg(long, default_value = "out", value_name = "DIR")]
    pub out: PathBuf,
    /// Print one JSON document on standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
    /// Open the page of the result in the browser
    #[arg(long)]
    pub open: bool,
}

/// `holonomy run`.
#[derive(Debug, Args)]
pub struct Run {
    /// A scene file (.toml) or the name of an example
    pub scene: PathBuf,
    /// Override a field of the scene, such as anisotropy=0.3 or body.snake.length="80 cm"
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Shared options.
    #[command(flatten)]
    pub common: Common,
}

/// `holonomy sweep`.
#[derive(Debug, Args)]
pub struct Sweep {
    /// A scene file (.toml) or the name of an example
    pub scene: PathBuf,
    /// Vary a field: KEY=FROM..TO:COUNT in even steps, KEY=FROM..TO:COUNTlog by equal factors (either with a unit after TO), or
    /// KEY=A,B,C. Several make a grid, the last varying fastest. Default: what [sweep] in the scene says
    #[arg(long = "vary", value_name = "KEY=VALUES")]
    pub vary: Vec<String>,
    /// Override a field of the scene for all points
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    /// Only every N-th point, beginning with the I-th: to share a grid among processes, or machines with the same program file
    #[arg(long, value_name = "I/N")]
    pub shard: Option<String>,
    /// How many points to run at a time, if not one per core
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Folder for the table NAME.sweep.csv and the finished points, NAME.sweep/
    #[arg(long, default_value = "out", value_name = "DIR")]
    pub out: PathBuf,
    /// Print the table as one JSON document on standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

/// `holonomy render`.
#[derive(Debug, Args)]
pub struct Render {
    /// A .glb that `run` or `move` wrote
    pub result: PathBuf,
    /// What to write: .png (a still), .gif or .apng (an animation), or a folder for numbered frames. Default: NAME.render.png beside the result
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Where to look from: auto, front, side, top, or AZIMUTH,ELEVATION in degrees
    #[arg(long, default_value = "auto", allow_hyphen_values = true)]
    pub view: String,
    /// Size in pixels, 16 to 8192 a side
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    pub size: Option<String>,
    /// At how many times the body is shown in a still
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST_GHOSTS)))]
    pub ghosts: Option<u32>,
    /// What the motion happens on; auto: as in the still of the run
    #[arg(long, default_value = "auto", value_parser = ["auto", "ground", "water", "none"])]
    pub backdrop: String,
    /// Let the camera of an animation move along
    #[arg(long)]
    pub follow: bool,
    /// Frames per second of an animation
    #[arg(long, default_value_t = 20.0)]
    pub fps: f64,
    /// Print one JSON document on standard output, and nothing else: what was written, and notes
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long)]
    pub quiet: bool,
}

/// `holonomy view`.
#[derive(Debug, Args)]
pub struct View {
    /// A result: its .html or its .glb
    pub result: PathBuf,
    /// Print the address only
    #[arg(long)]
    pub no_open: bool,
    /// Print one JSON document on standard output, and nothing else: the address, and notes
    #[arg(long)]
    pub json: bool,
}

/// `holonomy inspect`.
#[derive(Debug, Args)]
pub struct Inspect {
    /// The asset
    pub asset: PathBuf,
    /// Compute the added mass of its first shape in water, by all three models
    #[arg(long)]
    pub added_mass: bool,
    /// Print one JSON document on standard output, and nothing else
    #[arg(long)]
    pub json: bool,
}

/// `holonomy examples`.
#[derive(Debug, Args)]
pub struct Examples {
    /// The name of an example, to print its scene file; or words, to list the examples of that system, or with all of these words in their
    /// name, title or description
    pub words: Vec<String>,
    /// Run these examples, or all, and write DIR/index.html with their pictures; goes on where it was stopped
    #[arg(long, value_name = "DIR")]
    pub gallery: Option<PathBuf>,
    /// Print one JSON document on standard output, and nothing else
    #[arg(long)]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, requires = "gallery")]
    pub quiet: bool,
}

/// `holonomy move`: shorthand for a scene with an asset for its body. Values are checked by the scene model.
#[derive(Debug, Args)]
pub struct Move {
    /// The asset: .glb, .gltf, .bvh, or the first .obj of a numbered sequence
    pub asset: PathBuf,
    /// What the body moves in: honey, mud, sand, water and air resist; in a vacuum only inertia counts
    #[arg(long, default_value = "water", value_parser = PossibleValuesParser::new(Medium::ALL.map(Medium::name)).map(medium))]
    pub medium: Medium,
    /// The law of motion, if not the one the medium implies: least dissipation in honey, mud and sand, least action in a vacuum, flow in water
    /// and air (least dissipation for what has no surface, or one that cannot be weighed)
    #[arg(long, value_parser = ["least-dissipation", "least-action", "flow"])]
    pub law: Option<String>,
    /// Drag along the body over drag across it, 0 to 1, if not the medium's
    #[arg(long, allow_hyphen_values = true)]
    pub anisotropy: Option<String>,
    /// Name of the clip
    #[arg(long)]
    pub clip: Option<String>,
    /// First and last frame to use; of motion capture, those in which nothing touches the ground
    #[arg(long, value_name = "A..B")]
    pub frames: Option<String>,
    /// Frames per second to sample the clip at
    #[arg(long, allow_hyphen_values = true)]
    pub fps: Option<String>,
    /// How many times to play a looping clip
    #[arg(long, allow_hyphen_values = true)]
    pub cycles: Option<String>,
    /// Whose root-motion convention to follow: a new node (node, unity, bevy) or a `root` bone (unreal, godot)
    #[arg(long, value_parser = ["node", "unreal", "unity", "godot", "bevy"])]
    pub target: Option<String>,
    /// What one unit of the file is: m, cm, mm, in, ft, or a number of metres
    #[arg(long, allow_hyphen_values = true)]
    pub unit: Option<String>,
    /// The file's up axis
    #[arg(long, value_parser = ["y", "z"])]
    pub up: Option<String>,
    /// How mass (or drag, under least dissipation) is spread over a surface: area, volume, unit;
    /// or the masses of bones, for least action: human, length, or a file of `joint kilograms`
    /// lines. Drag goes by the bones' lengths
    #[arg(long)]
    pub masses: Option<String>,
    /// The momentum to keep under least action: none, or that of the motion the clip was recorded
    /// with. For people in the air: with
    /// --frames of the flight alone, and --gravity 9.81
    #[arg(long, value_parser = ["zero", "clip"])]
    pub momentum: Option<String>,
    /// Acceleration of free fall under least action and flow, m/s^2. Default: none, but in flow
    /// 9.81 in air, and in water once --density,
    /// --surface-density or --mass say how heavy the body is: then weight and buoyancy count
    #[arg(long, allow_hyphen_values = true)]
    pub gravity: Option<String>,
    /// Density of a solid body in flow, kg/m^3, if it is not as heavy as the water around it; its
    /// surface must be closed
    #[arg(long, allow_hyphen_values = true)]
    pub density: Option<String>,
    /// Mass of a body in flow per area of its surface, kg/m^2, instead of a density; for surfaces
    /// with holes, too
    #[arg(long, allow_hyphen_values = true)]
    pub surface_density: Option<String>,
    /// Mass of a body in flow, such as 12kg, spread over its surface, instead of a density; for
    /// surfaces with holes, too
    #[arg(long, allow_hyphen_values = true)]
    pub mass: Option<String>,
    /// Shared options.
    #[command(flatten)]
    pub common: Common,
}

/// The medium of that name; only names of media get here.
fn medium(name: String) -> Medium {
    Medium::ALL.into_iter().find(|medium| medium.name() == name).unwrap_or(Medium::Water)
}
