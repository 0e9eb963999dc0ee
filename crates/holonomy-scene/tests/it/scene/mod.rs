//! The scene file: what it accepts, and what it says when it does not.

mod quantities;
mod schema;
mod settings;

use std::f64::consts::{PI, TAU};
use std::path::{Path, PathBuf};

use holonomy_scene::asset::{RigMasses, Up};
use holonomy_scene::scene::{
    Amplitude, Anisotropy, Body, Count, FrameRange, Law, Length, Scene, Snake, System, Weights, schema, split_setting,
};
use serde_json::Value as Json;

use crate::random::Random;

const SNAKE: &str = include_str!("../../../../../examples/shape-change/snake.toml");

/// A scene with `line` in the table `[table]`; everything else by default. `line` is line 4 of the text.
fn with_line(table: &str, line: &str) -> String {
    let mut text = "title = \"t\"\n".to_owned();
    let body = if table.starts_with("body.") { "" } else { "[body.snake]" };
    let system = if table.starts_with("system.") { "" } else { "\n[system.shape-change]" };
    text.push_str(&format!("{body}\n[{table}]\n{line}{system}\n"));
    text
}

fn read(text: &str) -> Scene {
    Scene::from_toml(text, "f.toml").unwrap_or_else(|error| panic!("{error}\n---\n{text}"))
}

fn refused(text: &str) -> String {
    match Scene::from_toml(text, "f.toml") {
        Ok(scene) => panic!("accepted as {scene:?}\n---\n{text}"),
        Err(error) => error.to_string(),
    }
}

/// The message for `line` in `[table]`: first line without the place, then the hint after the carets.
fn complaint(table: &str, line: &str) -> (String, String) {
    let text = with_line(table, line);
    let error = refused(&text);
    let lines: Vec<&str> = error.lines().collect();
    let [problem, shown, caret] = lines.as_slice() else { panic!("not three lines: {error}") };
    assert_eq!(*shown, format!("  4 | {line}"), "{error}");
    let problem = problem.strip_prefix("f.toml:4:").and_then(|rest| rest.split_once(": ")).map(|(_, problem)| problem);
    let hint = caret.trim_start_matches([' ', '|', '^']);
    (problem.unwrap_or_else(|| panic!("{error}")).to_owned(), hint.to_owned())
}

#[test]
fn the_example_is_read() {
    let scene = Scene::load(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/shape-change/snake.toml")).unwrap();
    let Some(Body::Snake(snake)) = &scene.body else { panic!() };
    assert_eq!((snake.length.si(), snake.vertices.get(), snake.radius.si()), (1.2, 60, 0.015));
    assert_eq!(snake.amplitude.si(), PI / 3.0);
    let System::ShapeChange(system) = &scene.system else { panic!() };
    assert_eq!((system.law, system.anisotropy.si()), (Law::LeastDissipation, 0.05));
    assert_eq!((scene.time.fps.si(), scene.time.cycles.get()), (60.0, 4));
}

#[test]
fn what_is_left_out_has_a_default() {
    let scene = read("title = 't'\n[body.snake]\n[system.shape-change]");
    assert_eq!(scene.body, Some(Body::Snake(Snake::default())));
    assert_eq!((scene.time.fps.si(), scene.time.cycles.get()), (60.0, 1));
    assert_eq!(scene.description, None);
}

#[test]
fn an_asset_is_read_with_paths_from_the_scene_folder() {
    let lines = "file = 'a/dolphin.glb'\nclip = 'Swim'\nfps = 30\nunit = 'cm'\nup = 'z'\nframes = [0, 40]\nmasses = { file = 'm.txt' }";
    let Some(Body::Asset(asset)) = read(&with_line("body.asset", lines)).body else { panic!() };
    let options = asset.clip_options(Path::new("scenes"));
    assert_eq!(asset.path(Path::new("scenes")), PathBuf::from("scenes/a/dolphin.glb"));
    assert_eq!((options.clip.as_deref(), options.frames, options.fps), (Some("Swim"), Some((0, 40)), Some(30.0)));
    assert_eq!((options.unit, options.up, options.masses), (Some(0.01), Some(Up::Z), RigMasses::File("scenes/m.txt".into())));
    for (unit, metres) in [("'in'", 0.0254), ("'2.54 cm'", 0.0254), ("0.5", 0.5), ("'m'", 1.0)] {
        let Some(Body::Asset(asset)) = read(&with_line("body.asset", &format!("file = 'x'\nunit = {unit}"))).body else { panic!() };
        assert_eq!(asset.unit.map(|unit| unit.si()), Some(metres), "{unit}");
    }
}

#[test]
fn every_scene_survives_being_written_and_read() {
    let asset = with_line("body.asset", "file = 'ü.glb'\nclip = \"a\\nb\"\nframes = [3, 9]\nunit = 'ft'\nmasses = 'human'");
    let third = with_line("body.snake", "length = 0.333333333333333314829616256247\nperiod = 1e-6");
    for text in [SNAKE, &asset, &third, &with_line("body.asset", "file = 'x'\nmasses = { file = 'm' }")] {
        let scene = read(text);
        let written = scene.to_toml().unwrap();
        assert_eq!(read(&written), scene, "{written}");
    }
    assert!(read(SNAKE).to_toml().unwrap().contains("\nlength = 1.2\n"), "SI numbers");
}

#[test]
fn a_misspelt_field_is_shown_with_the_line() {
    let text = SNAKE.replace("anisotropy = 0.05        # drag along the body over drag across it", "anisotrpy = 0.05");
    let error = Scene::from_toml(&text, "dir/snake.toml").unwrap_err().to_string();
    let expected = "\
dir/snake.toml:15:1: unknown field `anisotrpy` in [system.shape-change]
  15 | anisotrpy = 0.05
     | ^^^^^^^^^ did you mean `anisotropy`?";
    assert_eq!(error, expected);
}

#[test]
fn unknown_fields_at_every_level() {
    assert_eq!(
        refused("titel = \"t\""),
        "f.toml:1:1: unknown field `titel` at the top level\n  1 | titel = \"t\"\n    | ^^^^^ did you mean `title`?"
    );
    let (problem, hint) = complaint("body.snake", "lenght = 3");
    assert_eq!((problem.as_str(), hint.as_str()), ("unknown field `lenght` in [body.snake]", "did you mean `length`?"));
    let (problem, hint) = complaint("body.snake", "colour = 3");
    assert_eq!(problem, "unknown field `colour` in [body.snake]");
    assert_eq!(hint, "fields here: length, vertices, waves, amplitude, period, radius");
    for (table, line, near) in [
        ("start", "tunr = 3", "turn"),
        ("body.asset", "fil = 'x'", "file"),
        ("system.shape-change", "las = 3", "law"),
        ("time", "cylces = 3", "cycles"),
        ("output", "traget = 3", "target"),
    ] {
        let (problem, hint) = complaint(table, line);
        let field = line.split(' ').next().unwrap();
        assert_eq!((problem, hint), (format!("unknown field `{field}` in [{table}]"), format!("did you mean `{near}`?")));
    }
    let error = refused("title = 't'\n[body.snake]\n[outptu]\n");
    assert_eq!(error, "f.toml:3:2: unknown field `outptu` at the top level\n  3 | [outptu]\n    |  ^^^^^^ did you mean `output`?");
}

#[test]
fn unknown_choices() {
    assert_eq!(
        refused("title = 't'\n[body.snaek]\n"),
        "f.toml:2:7: unknown choice `snaek` for `body`\n  2 | [body.snaek]\n    |       ^^^^^ did you mean `snake`?"
    );
    assert_eq!(
        refused("title = 't'\n[body.snake]\n[system.buoyancy]"),
        "f.toml:3:9: unknown choice `buoyancy` for `system`\n  3 | [system.buoyancy]\n    |         ^^^^^^^^ choices: shape-change, flow, vehicle, plan, comparison, loop, creature"
    );
    let cases = [
        (
            "system.shape-change",
            "law = 'least-acton'",
            "unknown choice `least-acton` for `law` in [system.shape-change]",
            "did you mean `least-action`?",
        ),
        (
            "system.shape-change",
            "masses = 'weight'",
            "unknown choice `weight` for `masses` in [system.shape-change]",
            "choices: auto, length, area, volume, unit",
        ),
        ("system.shape-change", "law = 3", "`law` in [system.shape-change]: expected a word in quotes, found 3", ""),
        (
            "system.shape-change",
            "law = { least-action = {} }",
            "`law`: expected a word in quotes, found a table",
            "write law = \"least-action\"",
        ),
        ("output", "target = 'maya'", "unknown choice `maya` for `target` in [output]", "choices: node, unreal, unity, godot, bevy"),
    ];
    for (table, line, problem, hint) in cases {
        assert_eq!(complaint(table, line), (problem.to_owned(), hint.to_owned()));
    }
}

#[test]
fn one_kind_of_body_as_a_table() {
    let cases = [
        ("[body]", "f.toml:2:1: [body] is empty\n  2 | [body]\n    | ^^^^^^ name its kind: [body.…]"),
        ("body = 3", "f.toml:2:8: `body`: expected a table, found 3\n  2 | body = 3\n    |        ^"),
        (
            "body = 'snake'",
            "f.toml:2:8: `body`: expected a table, found \"snake\"\n  2 | body = 'snake'\n    |        ^^^^^^^ write it as a table: [body.snake]",
        ),
        (
            "body.snake = [1, 60]",
            "f.toml:2:14: `snake` in [body]: expected a table, found an array of 2\n  2 | body.snake = [1, 60]\n    |              ^^^^^^^",
        ),
        (
            "[[body.snake]]",
            "f.toml:2:1: `snake` in [body]: expected a table, found an array of 1\n  2 | [[body.snake]]\n    | ^^^^^^^^^^^^^^",
        ),
        ("[[body]]", "f.toml:2:1: `body`: expected a table, found an array of 1\n  2 | [[body]]\n    | ^^^^^^^^"),
        (
            "[body.snake]\n[body.asset]",
            "f.toml:2:2: `body` has 2 kinds: `snake`, `asset`\n  2 | [body.snake]\n    |  ^^^^ keep one of them",
        ),
        ("[body.asset]", "f.toml:2:1: missing field `file` in [body.asset]\n  2 | [body.asset]\n    | ^^^^^^^^^^^^ add file = …"),
        ("[body.snake]\n[system]", "f.toml:3:1: [system] is empty\n  3 | [system]\n    | ^^^^^^^^ name its kind: [system.…]"),
        ("time = 3", "f.toml:2:8: `time`: expected a table, found 3\n  2 | time = 3\n    |        ^"),
        (
            "# nothing",
            "f.toml:1:1: missing field `body` at the top level\n  1 | title = 't'\n    | ^ add a table such as [body.snake], or [body.asset] for a file; for several bodies, [[bodies]]",
        ),
        (
            "[body.snake]",
            "f.toml:1:1: missing field `system` at the top level\n  1 | title = 't'\n    | ^ add a table [system.shape-change] or [system.flow]",
        ),
    ];
    for (lines, expected) in cases {
        assert_eq!(refused(&format!("title = 't'\n{lines}\n")), expected);
    }
    let untitled = "[body.snake]\n[system.shape-change]";
    assert_eq!(
        refused(untitled),
        "f.toml:1:1: missing field `title` at the top level\n  1 | [body.snake]\n    | ^ begin with: title = \"…\""
    );
}

#[test]
fn wrong_units_and_ranges() {
    let cases = [
        ("body.snake", "length = true", "`length` in [body.snake]: expected a length such as \"12 cm\", found true", ""),
        ("body.snake", "length = 2026-11-15", "`length` in [body.snake]: expected a length such as \"12 cm\", found a date", ""),
        ("body.snake", "length = { m = 1 }", "`length` in [body.snake]: expected a length such as \"12 cm\", found a table", ""),
        ("body.snake", "length = 'twelve'", "`length` in [body.snake]: expected a length such as \"12 cm\", found \"twelve\"", ""),
        ("body.snake", "length = 'nan m'", "`length` in [body.snake]: expected a length such as \"12 cm\", found \"nan m\"", ""),
        ("body.snake", "length = ''", "`length` in [body.snake]: expected a length such as \"12 cm\", found \"\"", ""),
        ("body.snake", "length = '30 deg'", "`length` in [body.snake]: expected a length such as \"12 cm\", found an angle", ""),
        ("body.snake", "period = '5 lb'", "`period` in [body.snake]: expected a duration such as \"250 ms\", found a mass", ""),
        ("body.snake", "amplitude = '1 s'", "`amplitude` in [body.snake]: expected an angle such as \"30 deg\", found a duration", ""),
        (
            "body.snake",
            "length = '12 cmm'",
            "`length` in [body.snake]: unknown unit \"cmm\"",
            "did you mean `cm`? known units: m, km, cm, mm, um, nm, in, ft",
        ),
        (
            "body.snake",
            "length = '12 CM'",
            "`length` in [body.snake]: unknown unit \"CM\"",
            "did you mean `cm`? known units: m, km, cm, mm, um, nm, in, ft",
        ),
        (
            "body.snake",
            "length = '2 parsec'",
            "`length` in [body.snake]: unknown unit \"parsec\"",
            "known units: m, km, cm, mm, um, nm, in, ft",
        ),
        ("body.snake", "length = '12'", "`length` in [body.snake]: \"12\" has no unit", "write 12 or \"12 m\""),
        ("body.snake", "length = 0", "`length` in [body.snake]: expected a length from 1e-9 m to 1e6 m, found 0 m", ""),
        ("body.snake", "length = '-3 cm'", "`length` in [body.snake]: expected a length from 1e-9 m to 1e6 m, found -0.03 m", ""),
        ("body.snake", "length = nan", "`length` in [body.snake]: expected a length from 1e-9 m to 1e6 m, found NaN m", ""),
        ("body.snake", "length = -inf", "`length` in [body.snake]: expected a length from 1e-9 m to 1e6 m, found -inf m", ""),
        ("body.snake", "length = 1e300", "`length` in [body.snake]: expected a length from 1e-9 m to 1e6 m, found 1e300 m", ""),
        ("body.snake", "length = '1e308 km'", "`length` in [body.snake]: expected a length from 1e-9 m to 1e6 m, found inf m", ""),
        ("body.snake", "length = 1e999", "`length` in [body.snake]: the number 1e999 is too large", ""),
        (
            "body.snake",
            "length = 99999999999999999999",
            "`length` in [body.snake]: expected a length from 1e-9 m to 1e6 m, found 1e20 m",
            "",
        ),
        ("body.snake", "amplitude = '270 deg'", "`amplitude` in [body.snake]: expected an angle from 0 deg to 180 deg, found 270 deg", ""),
        (
            "body.snake",
            "amplitude = 4",
            "`amplitude` in [body.snake]: expected an angle from 0 deg to 180 deg, found 229.183118 deg",
            "a bare number is radians; write \"4 deg\"",
        ),
    ];
    for (table, line, problem, hint) in cases {
        assert_eq!(complaint(table, line), (problem.to_owned(), hint.to_owned()), "{line}");
    }
}

#[test]
fn wrong_counts_ratios_lists_and_files() {
    let cases = [
        ("body.snake", "vertices = 1", "`vertices` in [body.snake]: expected a whole number from 2 to 10000000, found 1", ""),
        ("body.snake", "vertices = -4", "`vertices` in [body.snake]: expected a whole number from 2 to 10000000, found -4", ""),
        ("body.snake", "vertices = 2.5", "`vertices` in [body.snake]: expected a whole number from 2 to 10000000, found 2.5", ""),
        (
            "body.snake",
            "vertices = '60'",
            "`vertices` in [body.snake]: expected a whole number from 2 to 10000000, found \"60\"",
            "write it as a plain number, without quotes",
        ),
        (
            "body.snake",
            "vertices = 4294967298",
            "`vertices` in [body.snake]: expected a whole number from 2 to 10000000, found 4294967298",
            "",
        ),
        (
            "body.snake",
            "vertices = 99999999999999999999",
            "`vertices` in [body.snake]: expected a whole number from 2 to 10000000, found 99999999999999999999",
            "",
        ),
        (
            "body.snake",
            "waves = '2'",
            "`waves` in [body.snake]: expected a number above 0 and at most 1000, found \"2\"",
            "write it as a plain number, without quotes",
        ),
        (
            "system.shape-change",
            "anisotropy = -0.1",
            "`anisotropy` in [system.shape-change]: expected a number from 0 to 1, found -0.1",
            "",
        ),
        (
            "system.shape-change",
            "anisotropy = 1.0001",
            "`anisotropy` in [system.shape-change]: expected a number from 0 to 1, found 1.0001",
            "",
        ),
        ("start", "velocity = [0, 0]", "`velocity` in [start]: expected an array of length 3, found an array of 2", ""),
        ("start", "velocity = [0, 0, 'x']", "`velocity` in [start]: expected a speed such as \"2 m/s\", found \"x\"", ""),
        ("system.shape-change", "mass = '3 m'", "`mass` in [system.shape-change]: expected a mass such as \"70 kg\", found a length", ""),
        ("time", "fps = 0", "`fps` in [time]: expected a number from 0.01 to 1e5, found 0", ""),
        ("time", "cycles = 0", "`cycles` in [time]: expected a whole number from 1 to 1000000, found 0", ""),
        ("start", "at = [1, 2]", "`at` in [start]: expected three lengths such as [0, \"50 cm\", 0], found 2", ""),
        ("start", "at = 1", "`at` in [start]: expected an array, found 1", ""),
        ("start", "at = [0, '1 deg', 0]", "`at` in [start]: expected a length such as \"12 cm\", found an angle", ""),
        ("start", "turn = [0, 0, 0, 0]", "`turn` in [start]: expected three angles such as [0, \"90 deg\", 0], found 4", ""),
        (
            "start",
            "turn = [0, 0, 7]",
            "`turn` in [start]: expected an angle from -360 deg to 360 deg, found 401.070457 deg",
            "a bare number is radians; write \"7 deg\"",
        ),
        ("body.asset", "frames = [3]", "`frames` in [body.asset]: expected two frame numbers such as [0, 40], found 1", ""),
        ("body.asset", "frames = [1, 2, 3]", "`frames` in [body.asset]: expected two frame numbers such as [0, 40], found 3", ""),
        ("body.asset", "frames = 3", "`frames` in [body.asset]: expected an array, found 3", ""),
        ("body.asset", "frames = [7, 7]", "`frames` in [body.asset]: expected the first frame before the last, found [7, 7]", ""),
        ("body.asset", "frames = [0, 'x']", "`frames` in [body.asset]: expected a whole number from 0 to 1000000000, found \"x\"", ""),
        ("body.asset", "unit = 'kg'", "`unit` in [body.asset]: expected a length such as \"12 cm\", found a mass", ""),
        (
            "body.asset",
            "unit = 'cms'",
            "`unit` in [body.asset]: unknown unit \"cms\"",
            "did you mean `cm`? known units: m, km, cm, mm, um, nm, in, ft",
        ),
        ("body.asset", "file = 3", "`file` in [body.asset]: expected a path in quotes, found 3", ""),
        ("body.asset", "masses = 'file'", "`masses` in [body.asset]: expected a table, found \"file\"", "write masses = { file = … }"),
        ("body.asset", "masses = { fil = 'x' }", "unknown choice `fil` for `masses` in [body.asset]", "did you mean `file`?"),
    ];
    for (table, line, problem, hint) in cases {
        assert_eq!(complaint(table, line), (problem.to_owned(), hint.to_owned()), "{line}");
    }
}

#[test]
fn broken_toml() {
    let cases = [
        (
            "",
            "f.toml:1:1: the scene is empty\n  1 |\n    | ^ it needs `title`, [body.…] and [system.…]; `holonomy examples snake` prints one to start from",
        ),
        ("title = 't'\ntitle = 'u'", "f.toml:2:1: `title` is there twice\n  2 | title = 'u'\n    | ^^^^^ remove one of the two"),
        ("[time]\n[time]", "f.toml:2:2: `time` is there twice\n  2 | [time]\n    |  ^^^^ remove one of the two"),
        ("title =", "f.toml:1:8: a value is missing\n  1 | title =\n    |        ^ a value must follow `=`"),
        (
            "length = 80 cm",
            "f.toml:1:10: this is no TOML value\n  1 | length = 80 cm\n    |          ^^^^^ put text and numbers with a unit in quotes, such as \"12 cm\"",
        ),
        ("[body.snake\n", "f.toml:1:12: broken TOML: unclosed table, expected `]`\n  1 | [body.snake\n    |            ^"),
        ("title = 't", "f.toml:1:11: broken TOML: invalid literal string, expected `'`\n  1 | title = 't\n    |           ^"),
        ("a.b.c", "f.toml:1:6: broken TOML: key with no value, expected `=`\n  1 | a.b.c\n    |      ^"),
    ];
    for (text, expected) in cases {
        assert_eq!(refused(text), expected);
    }
    let deep = refused(&format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000)));
    assert!(deep.contains("max recursion depth"), "{deep}");
    assert!(deep.lines().all(|line| line.chars().count() < 120), "{deep}");
}

#[test]
fn odd_text_does_not_spoil_the_message() {
    let error = refused("\"a\\nb`, expected `title\" = 3");
    assert!(error.starts_with("f.toml:1:1: unknown field `a\u{fffd}b`, expected `title` at the top level\n  1 | "), "{error}");
    assert_eq!(error.lines().count(), 3, "{error}");
    let crlf = refused("titel = 3\r\n");
    assert!(!crlf.contains('\r'), "{crlf:?}");
    assert_eq!(refused("\u{feff}titel = 3"), refused("titel = 3"), "a byte order mark is skipped");
    let wide = refused("title = '蛇'\nbody = { '蛇' = { x = 3 } }");
    let expected = "f.toml:2:10: unknown choice `蛇` for `body`\n  2 | body = { '蛇' = { x = 3 } }\n    |          ^^^^ choices: snake, ";
    assert!(wide.starts_with(expected), "{wide}: four columns: two quotes and a wide character");
}

#[test]
fn files_that_are_no_scene() {
    let folder = tempfile::tempdir().unwrap();
    let load = |name: &str, bytes: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        Scene::load(&path).unwrap_err().to_string().replace(&path.display().to_string(), "PATH")
    };
    assert_eq!(load("a.toml", b"title = 't'\n# caf\xe9\n"), "PATH: line 2: byte 0xe9 is not UTF-8 text\n  fix: save the file as UTF-8");
    let fix = "use `holonomy move` on it, or name it in a scene as `file` of [body.asset]";
    assert_eq!(load("a.glb", b"glTF\x02\0\0\0\xff"), format!("PATH: beginning: this is an asset, not a scene file\n  fix: {fix}"));
    assert!(load("a.bvh", b"HIERARCHY").contains("this is an asset"));
    assert!(load("a.toml", &vec![b'#'; (1 << 20) + 1]).contains("larger than 1048576 bytes"));
    assert!(load("a.toml", b"").starts_with("PATH:1:1: the scene is empty"));
    let missing = Scene::load(folder.path().join("none.toml")).unwrap_err().to_string();
    assert!(missing.starts_with("no such file: ") && missing.contains("none.toml"), "{missing}");
    assert!(Scene::load(folder.path()).unwrap_err().to_string().starts_with("cannot read "));
}

#[test]
fn mutated_scenes_never_panic_and_name_the_file() {
    let bits = [
        "\"",
        "'",
        "[",
        "]",
        "[[",
        "{",
        "}",
        "=",
        ".",
        ",",
        "#",
        "\n",
        "\r",
        "\t",
        "\0",
        "\\",
        "\"\"\"",
        "nan",
        "-inf",
        "1e999",
        "-1",
        "0x",
        "9999999999999999999999",
        "蛇",
        "e\u{301}",
        "\u{feff}",
        "true",
        "2026-11-15",
        "body",
        "snake",
        "asset",
        "system",
        "shape-change",
        "title = 3\n",
        "[body.asset]\n",
        "file = 'x'\n",
        "frames = [2, 1]\n",
        "\\u0000",
        "\u{202e}",
        "`, expected `",
    ];
    let mut random = Random(2023);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..5000 {
        let mut text: Vec<char> = SNAKE.chars().collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(text.len() + 1);
            let end = (at + random.below(12)).min(text.len());
            match random.below(4) {
                0 => drop(text.drain(at..end)),
                1 => drop(text.splice(at..at, bits[random.below(bits.len())].chars())),
                2 => drop(text.splice(at..end, bits[random.below(bits.len())].chars())),
                _ => {
                    let (from, until) = (random.below(text.len() + 1), random.below(text.len() + 1));
                    let copy: Vec<char> = text[from.min(until)..from.max(until)].iter().take(40).copied().collect();
                    text.splice(at..at, copy);
                }
            }
        }
        let text: String = text.into_iter().collect();
        match Scene::from_toml(&text, "snake.toml") {
            Ok(scene) => {
                accepted += 1;
                assert_eq!(read(&scene.to_toml().unwrap()), scene, "{text}");
            }
            Err(error) => {
                refused += 1;
                let error = error.to_string();
                assert!(error.starts_with("snake.toml:"), "{error}\n---\n{text}");
                let lines: Vec<&str> = error.lines().collect();
                assert!(
                    lines.len() == 3 && lines[1].contains(" | ") | lines[1].ends_with(" |") && lines[2].contains('^'),
                    "{error}\n---\n{text}"
                );
            }
        }
        let (key, value) = (bits[random.below(bits.len())], bits[random.below(bits.len())]);
        if let Err(error) = read(SNAKE).with_override(key, value) {
            assert!(error.to_string().starts_with("--set "), "{error}");
        }
    }
    // Measured: 843 accepted, 4157 refused.
    assert!(accepted > 500 && refused > 2500, "both ways are exercised: {accepted} accepted, {refused} refused");
}
