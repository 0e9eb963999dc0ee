//! `--set`: fields by the end of their name.

use super::*;

pub fn set(scene: &Scene, key: &str, value: &str) -> Result<Scene, String> {
    scene.with_override(key, value).map_err(|error| error.to_string())
}

#[test]
fn settings_replace_fields() {
    let settings = [
        "system.shape-change.anisotropy=0.3",
        "length=80cm",
        "snake.radius = \"3 mm\"",
        "cycles=3",
        "law=least-action",
        "title=42",
        "target=godot",
        "masses=unit",
    ];
    let settings: Vec<(String, String)> = settings.iter().map(|setting| split_setting(setting).unwrap()).collect();
    let scene = Scene::with_overrides(SNAKE, "snake.toml", &settings).unwrap();
    let (Some(Body::Snake(snake)), System::ShapeChange(system)) = (&scene.body, &scene.system) else { panic!() };
    assert_eq!((snake.length.si(), snake.radius.si(), scene.time.cycles.get()), (0.8, 0.003, 3));
    assert_eq!((system.anisotropy.si(), system.law, system.masses), (0.3, Law::LeastAction, Weights::Unit));
    assert_eq!(scene.title, "42", "text that looks like a number is text where text is wanted");
    assert_eq!(snake.amplitude.si(), PI / 3.0, "what is not set stays");

    let asset = read(&with_line("body.asset", "file = 'x.glb'"));
    let Some(Body::Asset(clip)) = set(&set(&asset, "clip", "Swim").unwrap(), "frames", "[1, 4]").unwrap().body else { panic!() };
    assert_eq!((clip.clip.as_deref(), clip.frames), (Some("Swim"), Some(FrameRange::new(1, 4).unwrap())), "absent fields can be set");
    assert!(matches!(set(&asset, "body", "{ snake = { length = '2 m' } }").unwrap().body, Some(Body::Snake(_))));
    let described = set(&asset, "description", "[not TOML").unwrap();
    assert_eq!(described.description.as_deref(), Some("[not TOML"));
}

#[test]
fn settings_that_do_not_fit() {
    let snake = read(SNAKE);
    let fields = "title, description, body.snake.length, body.snake.vertices, body.snake.waves, body.snake.amplitude, body.snake.period, body.snake.radius, start.at, start.turn, start.velocity, start.angular-velocity, system.shape-change.law, system.shape-change.anisotropy, \
                system.shape-change.drag, system.shape-change.masses, system.shape-change.mass, system.shape-change.added-mass, system.shape-change.momentum, \
                system.shape-change.gravity, system.shape-change.fluid-density, \
                system.shape-change.displaced-mass, system.shape-change.freedom, system.shape-change.ground, system.shape-change.land, time.fps, time.cycles, time.duration, output.target, picture.view, picture.azimuth, picture.elevation, picture.ghosts, picture.until, picture.placing, picture.magnify, picture.colors, \
                picture.width, picture.height, picture.backdrop, picture.backdrop-height";
    let cases = [
        (
            "anisotropy",
            "abc",
            "--set anisotropy=abc: `anisotropy` in [system.shape-change]: expected a number from 0 to 1, found \"abc\"".to_owned(),
        ),
        ("anisotropy", "7", "--set anisotropy=7: `anisotropy` in [system.shape-change]: expected a number from 0 to 1, found 7".to_owned()),
        ("length", "30deg", "--set length=30deg: `length` in [body.snake]: expected a length such as \"12 cm\", found an angle".to_owned()),
        (
            "law",
            "least-actoin",
            "--set law=least-actoin: unknown choice `least-actoin` for `law` in [system.shape-change]\n  did you mean `least-action`?"
                .to_owned(),
        ),
        ("anisotrpy", "0.3", "--set anisotrpy=0.3: this scene has no field `anisotrpy`; did you mean `anisotropy`?".to_owned()),
        ("body.length", "3", "--set body.length=3: this scene has no field `body.length`; did you mean `length`?".to_owned()),
        ("viscosity", "3", format!("--set viscosity=3: this scene has no field `viscosity`\n  fields: {fields}")),
        ("ength", "3", "--set ength=3: this scene has no field `ength`; did you mean `length`?".to_owned()),
        ("", "3", format!("--set =3: this scene has no field ``\n  fields: {fields}")),
        (
            "cycles",
            "3\nx = 4",
            "--set cycles=3\u{fffd}x = 4: `cycles` in [time]: expected a whole number from 1 to 1000000, found \"3\\nx = 4\"".to_owned(),
        ),
        ("time", "{ fsp = 3 }", "--set time={ fsp = 3 }: unknown field `fsp` in [time]\n  did you mean `fps`?".to_owned()),
    ];
    for (key, value, expected) in cases {
        assert_eq!(set(&snake, key, value).unwrap_err(), expected);
    }
    let asset = read(&with_line("body.asset", "file = 'x.glb'"));
    assert_eq!(
        set(&asset, "fps", "30").unwrap_err(),
        "--set fps=30: `fps` fits several fields; write one in full:\n  body.asset.fps\n  time.fps"
    );
    assert_eq!(split_setting("cycles").unwrap_err().to_string(), "--set cycles: expected KEY=VALUE, such as anisotropy=0.3");
    assert!(split_setting(" = 3").is_err());
    assert_eq!(split_setting("title=a=b").unwrap(), ("title".to_owned(), "a=b".to_owned()));
    let broken = Scene::with_overrides("titel = 3", "f.toml", &[("title".into(), "x".into())]).unwrap_err().to_string();
    assert!(broken.starts_with("f.toml:1:1: unknown field"), "an error of the file is about the file: {broken}");
}
