//! Text as strokes, and numbers as text: round lengths, SI prefixes, no more digits than needed.

use super::glyphs::glyph;

/// A line of text as straight strokes (x1, y1, x2, y2), pixels, y down, with its line at y = 0 and its left end at x = 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Text {
    /// The strokes.
    pub strokes: Vec<[f64; 4]>,
    /// Width, pixels.
    pub width: f64,
}

/// Space between letters, in glyph units (capitals are 10 high).
const GAP: f64 = 2.1;

impl Text {
    /// Lays out `text` with capitals `cap_height` pixels high. Characters the font does not have become boxes.
    pub fn new(text: &str, cap_height: f64) -> Text {
        let mut out = Text::default();
        let mut pen = 0.0;
        for c in text.chars() {
            let (base, size, raise) = superscript(c);
            let (width, strokes) = glyph(base).unwrap_or((6.0, "m 0.5 0 l 5.5 0 l 5.5 10 l 0.5 10 l 0.5 0"));
            let unit = cap_height / 10.0;
            for [x1, y1, x2, y2] in flatten(strokes) {
                out.strokes.push([pen + x1 * size, -(y1 * size + raise), pen + x2 * size, -(y2 * size + raise)].map(|v| v * unit));
            }
            pen += width * size + GAP;
        }
        out.width = (pen - GAP).max(0.0) * cap_height / 10.0;
        out
    }
}

/// The character that is drawn, its size and how far it is raised.
fn superscript(c: char) -> (char, f64, f64) {
    let base = match c {
        '\u{2070}' => '0',
        '\u{b9}' => '1',
        '\u{b2}' => '2',
        '\u{b3}' => '3',
        '\u{2074}' => '4',
        '\u{2075}' => '5',
        '\u{2076}' => '6',
        '\u{2077}' => '7',
        '\u{2078}' => '8',
        '\u{2079}' => '9',
        '\u{207b}' => '-',
        _ => return (c, 1.0, 0.0),
    };
    (base, 0.62, 4.8)
}

/// The strokes of a glyph as straight pieces.
fn flatten(strokes: &str) -> Vec<[f64; 4]> {
    let mut pieces = Vec::new();
    let mut pen: Option<[f64; 2]> = None;
    let mut words = strokes.split_ascii_whitespace();
    while let Some(command) = words.next() {
        let mut number = || words.next().and_then(|w| w.parse::<f64>().ok()).unwrap_or(0.0);
        let points: Vec<[f64; 2]> = match command {
            "m" => {
                pen = Some([number(), number()]);
                continue;
            }
            "l" => vec![[number(), number()]],
            "a" => {
                let [cx, cy, rx, ry, from, to] = [(); 6].map(|()| number());
                let n = ((to - from).abs() / 12.0).ceil().max(1.0);
                let at = |k: f64| (from + (to - from) * k / n).to_radians().sin_cos();
                (0..=n as usize).map(|k| at(k as f64)).map(|(s, c)| [cx + rx * c, cy + ry * s]).collect()
            }
            _ => {
                let [x1, y1, x2, y2, x3, y3] = [(); 6].map(|()| number());
                let start = pen.unwrap_or([x1, y1]);
                (1..=8).map(|k| cubic([start, [x1, y1], [x2, y2], [x3, y3]], k as f64 / 8.0)).collect()
            }
        };
        for p in points {
            if let Some(q) = pen {
                pieces.push([q[0], q[1], p[0], p[1]]);
            }
            pen = Some(p);
        }
    }
    pieces
}

fn cubic(p: [[f64; 2]; 4], t: f64) -> [f64; 2] {
    let u = 1.0 - t;
    let w = [u * u * u, 3.0 * u * u * t, 3.0 * u * t * t, t * t * t];
    [0, 1].map(|i| (0..4).map(|k| w[k] * p[k][i]).sum())
}

/// The largest of 1, 2, 5 × 10ⁿ that is not above `value`; 1 if there is none.
pub fn round_down(value: f64) -> f64 {
    if !(value > 0.0 && value.is_finite()) {
        return 1.0;
    }
    let power = 10_f64.powi(value.log10().floor() as i32);
    let lead = value / power;
    let factor = if lead >= 5.0 - 1e-9 {
        5.0
    } else if lead >= 2.0 - 1e-9 {
        2.0
    } else {
        1.0
    };
    if power > 0.0 { factor * power } else { value }
}

/// A quantity in words: `0.5 m`, `20 cm`, `1.5 km`, `350 µs`; `step` is the difference that must still show.
pub fn quantity(value: f64, step: f64, unit: &str) -> String {
    if value == 0.0 {
        return format!("0 {unit}");
    }
    let size = value.abs().max(step.abs());
    let prefixes: &[(f64, &str)] = match unit {
        "m" => &[(1e3, "k"), (1.0, ""), (1e-2, "c"), (1e-3, "m"), (1e-6, "\u{b5}"), (1e-9, "n")],
        _ => &[(1.0, ""), (1e-3, "m"), (1e-6, "\u{b5}"), (1e-9, "n")],
    };
    if !(1e-9..1e7).contains(&size) {
        return format!("{} {unit}", exponent_form(value));
    }
    let small = if unit == "m" { 0.5 } else { 0.1 };
    let (factor, prefix) =
        prefixes.iter().find(|(f, _)| size >= f * if *f == 1.0 { small } else { 1.0 - 1e-9 }).copied().unwrap_or((1.0, ""));
    format!("{} {prefix}{unit}", decimal(value / factor, step / factor))
}

/// `value` with as many digits as `step` needs, without idle zeros.
pub fn decimal(value: f64, step: f64) -> String {
    let digits = if step > 0.0 && step.is_finite() { (0.7 - step.log10()).ceil().clamp(0.0, 9.0) as usize } else { 3 };
    let text = format!("{value:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text };
    if text == "-0" { "0".into() } else { text.replace('-', "\u{2212}") }
}

/// `1.2×10⁻⁸`.
pub fn exponent_form(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".into();
    }
    let text = format!("{value:.1e}");
    let (lead, power) = text.split_once('e').unwrap_or((&text, "0"));
    let lead = lead.trim_end_matches('0').trim_end_matches('.').replace('-', "\u{2212}");
    let raised: String = power.chars().map(raise).collect();
    if lead == "1" { format!("10{raised}") } else { format!("{lead}\u{d7}10{raised}") }
}

fn raise(c: char) -> char {
    match c {
        '-' => '\u{207b}',
        '1' => '\u{b9}',
        '2' => '\u{b2}',
        '3' => '\u{b3}',
        '0' | '4'..='9' => char::from_u32(0x2070 + c as u32 - '0' as u32).unwrap_or(c),
        _ => c,
    }
}
