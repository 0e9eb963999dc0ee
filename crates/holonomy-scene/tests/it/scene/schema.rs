//! The JSON Schema: current, in agreement with the reader, and documented.

use super::settings::set;
use super::*;

/// The committed schema is what the model says. `HOLONOMY_WRITE_SCHEMA=1` writes it.
#[test]
fn the_committed_schema_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/scene.schema.json");
    let current = serde_json::to_string_pretty(&schema()).unwrap() + "\n";
    if std::env::var_os("HOLONOMY_WRITE_SCHEMA").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == current, "docs/scene.schema.json is out of date: run this test with HOLONOMY_WRITE_SCHEMA=1");
}

/// The schema's keywords that the model uses, but `pattern`.
fn fits(schema: &Json, root: &Json, value: &Json) -> bool {
    schema.as_object().unwrap().iter().all(|(keyword, rule)| match keyword.as_str() {
        "$ref" => fits(root.pointer(&rule.as_str().unwrap()[1..]).unwrap(), root, value),
        "type" => match rule.as_str().unwrap() {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "number" => value.is_number(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64(),
            other => panic!("type {other}"),
        },
        "properties" => rule.as_object().unwrap().iter().all(|(name, rule)| value.get(name).is_none_or(|inner| fits(rule, root, inner))),
        "required" => rule.as_array().unwrap().iter().all(|name| value.get(name.as_str().unwrap()).is_some()),
        "additionalProperties" => value.as_object().is_none_or(|fields| fields.keys().all(|name| schema["properties"].get(name).is_some())),
        "oneOf" => rule.as_array().unwrap().iter().filter(|choice| fits(choice, root, value)).count() == 1,
        "anyOf" => rule.as_array().unwrap().iter().any(|choice| fits(choice, root, value)),
        "const" => value == rule,
        "minimum" => value.as_f64().is_none_or(|number| number >= rule.as_f64().unwrap()),
        "exclusiveMinimum" => value.as_f64().is_none_or(|number| number > rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|number| number <= rule.as_f64().unwrap()),
        "items" => value.as_array().is_none_or(|items| items.iter().all(|item| fits(rule, root, item))),
        "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
        "prefixItems" => {
            value.as_array().is_none_or(|items| items.iter().zip(rule.as_array().unwrap()).all(|(item, rule)| fits(rule, root, item)))
        }
        "description" | "title" | "default" | "examples" | "pattern" | "$schema" | "$defs" => true,
        other => panic!("keyword {other}"),
    })
}

#[test]
fn the_schema_and_the_reader_agree() {
    let schema = schema();
    let agree = |text: &str| {
        let value: Json = toml::from_str(text).unwrap();
        let accepted = Scene::from_toml(text, "f.toml").is_ok();
        assert_eq!(fits(&schema, &schema, &value), accepted, "{text}");
        accepted
    };
    assert!(agree(SNAKE));
    let written = read(SNAKE).to_toml().unwrap();
    assert!(agree(&written));
    let lines = [
        ("body.snake", "length = 2"),
        ("body.snake", "length = '2 ft'"),
        ("body.snake", "length = 0"),
        ("body.snake", "length = true"),
        ("body.snake", "vertices = 2"),
        ("body.snake", "vertices = 1"),
        ("body.snake", "vertices = 2.5"),
        ("body.snake", "waves = '2'"),
        ("body.snake", "x = 1"),
        ("body.asset", "file = 'x'\nframes = [0, 4]\nup = 'z'\nunit = 'cm'\nfps = 23.976\nclip = 'c'\nmasses = 'human'"),
        ("body.asset", "clip = 'c'"),
        ("body.asset", "file = 'x'\nmasses = { file = 'm' }"),
        ("body.asset", "file = 'x'\nmasses = { file = 'm', x = 1 }"),
        ("body.asset", "file = 'x'\nframes = [0, 4, 5]"),
        ("body.asset", "file = 'x'\nup = 'x'"),
        ("body.asset", "file = 'x'\nunit = 0.01"),
        ("body.asset", "file = 'x'\nunit = false"),
        ("system.shape-change", "anisotropy = 1"),
        ("system.shape-change", "anisotropy = 0"),
        ("system.shape-change", "law = 'least-action'"),
        ("system.shape-change", "law = { least-action = {} }"),
        ("system.shape-change", "law = 'x'"),
        ("system.shape-change", "law = 'inertia-and-drag'\nmass = '2 kg'\nground = '-3 m'\ndrag = 4"),
        ("system.shape-change", "law = 'ideal-fluid'\nadded-mass = 2\nmomentum = 'clip'"),
        ("system.shape-change", "fluid-density = 1000\ngravity = 9.81\ndisplaced-mass = 3"),
        ("start", "velocity = [0, 0, -1.5]\nangular-velocity = [1, 0, 0]"),
        ("start", "velocity = [0, '1 km/h', '2 m/s']\nangular-velocity = ['90 deg/s', 0, 0]"),
        ("body.asset", "file = 'x'\ndensity = '1 g/cm3'"),
        ("start", "velocity = [0, 0]"),
        ("start", "velocity = 3"),
        ("system.flow", "fluid = 'air'\ngravity = 0\nadded-mass = 'boundary-element'\nsubsteps = 4\nthrust = [0, 0, 2]"),
        ("system.flow", "water = '20 cm'\nground = -1\nfriction = 0.3\ndensity = 1025\nviscous-drag = true\nviscosity = 0.002"),
        ("system.flow", "gusts = { speed = 2, size = '1 m', seed = 3 }\nshear = { rate = [1, 0] }\nvortex = { circulation = 1 }"),
        ("system.flow", "gusts = 3"),
        ("system.flow", "fluid = 'oil'"),
        ("system.flow", "density = -1"),
        ("system.flow", "substeps = 0"),
        ("body.asset", "file = 'x'\ndensity = 900"),
        ("body.asset", "file = 'x'\nmass = '3 kg'"),
        ("body.asset", "file = 'x'\nsurface-density = 0"),
        ("system.shape-change", "ground = true"),
        ("system.shape-change", "mass = 0"),
        ("system.shape-change", "drag = -1"),
        ("time", "fps = 0"),
        ("time", "cycles = 1"),
        ("start", "at = [0, '1 m', -2.5]"),
        ("start", "turn = [0, 0]"),
        ("output", "target = 'bevy'"),
        ("output", "target = 1"),
        ("sweep", "vary = ['anisotropy=0.1..1:4']"),
        ("sweep", "vary = 'anisotropy=0.1..1:4'"),
        ("sweep", "very = []"),
        ("nothing", ""),
    ];
    let accepted = lines.iter().filter(|(table, line)| agree(&with_line(table, line))).count();
    assert_eq!(accepted, 24);
    for text in [
        "",
        "title = 't'",
        "title = 't'\nbody.snake = []\n[system.shape-change]",
        "title = 't'\n[body]\n[system.shape-change]",
        "title = 1",
    ] {
        assert!(!agree(text));
    }
}

/// Every field says what it means, and the default in its description is the default there is.
#[test]
fn fields_and_their_defaults_are_documented() {
    let schema = schema();
    let kinds = [
        ("snake", "Snake"),
        ("sidewinder", "Sidewinder"),
        ("wandering-snake", "WanderingSnake"),
        ("concertina", "Concertina"),
        ("sperm", "Sperm"),
        ("stingray", "Stingray"),
        ("ray-robot", "RayRobot"),
        ("jellyfish", "Jellyfish"),
        ("worm", "Worm"),
        ("three-link", "ThreeLink"),
        ("scallop", "Scallop"),
        ("eel", "Eel"),
        ("astronaut", "Astronaut"),
        ("cat", "Cat"),
        ("diver", "Diver"),
        ("top", "Top"),
        ("pebble", "Pebble"),
        ("disc", "Disc"),
        ("box", "Box"),
        ("torus", "Torus"),
        ("propeller", "Propeller"),
        ("leaf", "Leaf"),
        ("maple-seed", "MapleSeed"),
        ("paper-copter", "PaperCopter"),
        ("ellipsoid", "Ellipsoid"),
        ("plate", "Plate"),
        ("blob", "Blob"),
        ("parachute", "Parachute"),
        ("turtle", "Turtle"),
        ("zeppelin", "Zeppelin"),
    ];
    let plain = |(kind, _): &(&str, &str)| read(&format!("title = 't'\n[body.{kind}]\n[system.shape-change]"));
    let others = [with_line("body.asset", "file = 'x'"), with_line("system.flow", "")];
    let scenes: Vec<Scene> = others.iter().map(|text| read(text)).chain(kinds.iter().map(plain)).collect();
    let mut defaults = 0;
    let tables = [
        "",
        "body.asset.",
        "system.shape-change.",
        "system.flow.",
        "system.flow.gusts.",
        "system.flow.shear.",
        "system.flow.vortex.",
        "start.",
        "time.",
        "output.",
        "picture.",
    ];
    let tables = tables.map(str::to_owned).into_iter().zip([
        "Scene",
        "Asset",
        "ShapeChange",
        "Flow",
        "Gusts",
        "Shear",
        "Vortex",
        "Start",
        "Time",
        "Output",
        "Picture",
    ]);
    let tables = tables.chain(kinds.map(|(kind, definition)| (format!("body.{kind}."), definition)));
    for (table, definition) in tables {
        let definition = if table.is_empty() { &schema } else { &schema["$defs"][definition] };
        for (field, rule) in definition["properties"].as_object().unwrap() {
            let description = rule["description"].as_str().unwrap_or_else(|| panic!("{table}{field} has no description"));
            let stated = description.split_once("Default: `").and_then(|(_, rest)| rest.split_once('`')).map(|(value, _)| value);
            assert_eq!(stated.is_some(), rule.get("default").is_some_and(|default| !default.is_object()), "{table}{field}: {description}");
            let Some(stated) = stated else { continue };
            let key = format!("{table}{field}");
            let scene = scenes.iter().rev().find(|scene| scene.keys().contains(&key)).unwrap();
            assert_eq!(set(scene, &key, stated).unwrap(), *scene, "{key}: {description}");
            defaults += 1;
        }
    }
    assert_eq!(defaults, 245);
}
