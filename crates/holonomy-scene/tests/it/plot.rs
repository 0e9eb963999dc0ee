//! Plots: points, ticks, gaps, ranges, and the text of the SVG.

use holonomy::lie::{Momentum, Pose};
use holonomy::motion::{Chart, ChartAxis, ITERATIONS, KINETIC_ENERGY, MomentumKind, Motion, Quantity, RESIDUAL, Stroke, Track};
use holonomy::nalgebra::Vector3;
use holonomy::shape::{Clip, Playback, Topology};
use holonomy_scene::plot::axis::Axis;
use holonomy_scene::plot::{LineStyle, Plot, PlotSeries, Scale, motion_plots, of_motion, stack, svg};

fn plot(x: Vec<f64>, values: Vec<f64>, scale: Scale) -> Plot {
    let series = vec![PlotSeries { name: "a".into(), values, style: LineStyle::Solid }];
    Plot { title: "title".into(), unit: "m/s".into(), x_label: "time".into(), x_unit: "s".into(), x, scale, series }
}

fn ramp(n: usize) -> Vec<f64> {
    (0..n).map(|i| i as f64 * 0.1).collect()
}

/// The `d` attributes of the lines.
fn lines(svg: &str) -> Vec<&str> {
    svg.lines().filter(|l| l.contains("class=\"l ")).filter_map(|l| l.split(" d=\"").nth(1)?.split('"').next()).collect()
}

/// Number of points in a path.
fn points(d: &str) -> usize {
    d.matches(['M', 'L', 'V']).count()
}

fn labels<'a>(svg: &'a str, class: &str) -> Vec<&'a str> {
    let mark = format!("class=\"m {class}\"");
    svg.lines().filter_map(|l| l.split(&mark).nth(1)?.split('>').nth(1)?.split('<').next()).collect()
}

fn is_clean(svg: &str) {
    for bad in ["NaN", "inf", "-0\"", "e-", "e+"] {
        assert!(!svg.contains(&format!("\"{bad}")) && !svg.contains(&format!(" {bad}")), "{bad} in {svg}");
    }
    assert!(!svg.contains("NaN") && !svg.contains("Infinity"));
    assert_eq!(svg.matches("<svg").count(), svg.matches("</svg>").count());
    assert_eq!(svg.matches("<text").count(), svg.matches("</text>").count());
}

#[test]
fn every_point_is_drawn_when_there_are_few() {
    let text = svg(&plot(ramp(25), ramp(25), Scale::Linear));
    assert_eq!(lines(&text).iter().map(|d| points(d)).collect::<Vec<_>>(), [25]);
    is_clean(&text);
}

#[test]
fn gaps_split_the_line_and_lone_values_are_dots() {
    let mut values = ramp(20);
    values[5] = f64::NAN;
    values[7] = f64::INFINITY;
    values[12] = f64::NEG_INFINITY;
    let text = svg(&plot(ramp(20), values, Scale::Linear));
    let d = lines(&text)[0];
    assert_eq!(d.matches('M').count(), 4); // 0–4, 6, 8–11, 13–19
    assert_eq!(points(d), 17);
    assert_eq!(d.matches("h0.01").count(), 1);
    is_clean(&text);
}

#[test]
fn thousands_of_points_are_thinned_without_losing_a_peak() {
    let n = 50_000;
    let mut values: Vec<f64> = (0..n).map(|i| (i as f64 * 0.01).sin()).collect();
    values[31_234] = 7.0;
    values[31_235] = -3.0;
    let text = svg(&plot(ramp(n), values, Scale::Linear));
    let d = lines(&text)[0];
    assert!((600..=4 * 700).contains(&points(d)), "{}", points(d));
    // Axis from −4 to 8 over 250 px (30 to 280): the peak at 7 is 20.8 px below the top, the dip at −3 as far above the bottom.
    let y: Vec<f64> = d.split(['M', 'L']).filter_map(|p| p.split(' ').nth(1)?.parse().ok()).collect();
    let (top, bottom) = (y.iter().copied().fold(f64::INFINITY, f64::min), y.iter().copied().fold(0.0, f64::max));
    assert!((top - 50.8).abs() < 0.2 && (bottom - 259.2).abs() < 0.2, "{top} {bottom}");
    assert!(text.len() < 60_000);
}

#[test]
fn ticks_are_round_rise_and_enclose_the_values() {
    for (low, high) in
        [(0.0, 1.0), (-3.0, 7.0), (0.384, 0.390), (1e-8, 3e-7), (-2e9, 5e9), (99.0, 101.0), (-1e-300, 1e-300), (-1e299, 1e299)]
    {
        let axis = Axis::new([low, high].into_iter(), Scale::Linear, 6);
        assert!((3..=9).contains(&axis.ticks.len()), "{low} {high}: {:?}", axis.ticks);
        assert!(axis.ticks.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 != w[1].1), "{low} {high}: {:?}", axis.ticks);
        assert!(axis.place(low) >= -1e-9 && axis.place(high) <= 1.0 + 1e-9);
        assert!(axis.ticks.iter().all(|(_, label)| label.chars().count() <= 7), "{:?}", axis.ticks);
    }
    assert_eq!(Axis::new([1e-8, 3e-7].into_iter(), Scale::Linear, 6).factor, "\u{d7}10\u{207b}\u{2077}");
    let labels: Vec<String> = Axis::new([0.0, 1.0].into_iter(), Scale::Linear, 5).ticks.into_iter().map(|t| t.1).collect();
    assert_eq!(labels, ["0", "0.2", "0.4", "0.6", "0.8", "1"]);
}

#[test]
fn log_axes_have_powers_of_ten_and_leave_out_what_is_not_positive() {
    let values = vec![1e-16, 1e-12, 0.0, -1.0, 1e-3, f64::NAN, 2e-9];
    let text = svg(&plot(ramp(7), values, Scale::Log));
    let d = lines(&text)[0];
    assert_eq!((points(d), d.matches('M').count()), (4, 3));
    let ticks = labels(&text, "y");
    assert!(ticks.len() >= 4 && ticks[0] == "10\u{207b}\u{b9}\u{2076}", "{ticks:?}");
    is_clean(&text);
}

#[test]
fn constant_empty_and_extreme_series_have_sound_axes() {
    let lists =
        [vec![0.0; 9], vec![5.0; 9], vec![-1e-30; 9], vec![], vec![f64::NAN; 9], vec![f64::MAX, f64::MIN], vec![1e-320; 3], vec![3.0]];
    for values in lists {
        for scale in [Scale::Linear, Scale::Log] {
            let n = values.len();
            let text = svg(&plot(ramp(n), values.clone(), scale));
            is_clean(&text);
            assert!(labels(&text, "y").len() >= 2, "{values:?}: {:?}", labels(&text, "y"));
            let blank = !values.iter().any(|v| Axis::can_show(scale, *v));
            assert_eq!(text.contains("no values"), blank, "{values:?} {scale:?}");
        }
    }
    is_clean(&stack(&[]));
    let backwards = plot(vec![3.0, f64::NAN, 1.0], vec![1.0, 2.0, 3.0], Scale::Linear);
    is_clean(&svg(&backwards));
}

#[test]
fn lines_differ_without_colour_and_the_text_follows_the_readers_theme() {
    let series = (0..4).map(|i| PlotSeries { name: format!("line {i}"), values: ramp(5), style: LineStyle::nth(i) }).collect();
    let text = svg(&Plot { title: "a < b & \"c\"".into(), x: ramp(5), series, ..Default::default() });
    let dashes: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("class=\"l "))
        .map(|l| l.split("dasharray=\"").nth(1).unwrap_or("none").split('"').next().unwrap())
        .collect();
    assert_eq!(dashes.iter().collect::<std::collections::HashSet<_>>().len(), 4, "{dashes:?}");
    assert!((0..4).all(|i| text.contains(&format!(">line {i}</text>"))));
    assert!(text.contains("prefers-color-scheme:dark") && text.contains("currentColor"));
    assert!(text.contains("a &lt; b &amp; &quot;c&quot;") && !text.contains("a < b"));
    // Names of lines that end at the same place are pushed apart.
    let mut at: Vec<f64> =
        text.lines().filter(|l| l.contains(">line ")).filter_map(|l| l.rsplit(" y=\"").next()?.split('"').next()?.parse().ok()).collect();
    at.sort_by(f64::total_cmp);
    assert!(at.windows(2).all(|w| w[1] - w[0] > 13.0), "{at:?}");
}

#[test]
fn a_motion_gives_its_plots_with_units() {
    let dot = Clip::new(Topology::Points, Playback::Loop, 0.5, 1, vec![Vector3::zeros()]).unwrap();
    let poses = vec![Pose::identity(); 11];
    let momenta = (0..10).map(|k| Momentum { angular: Vector3::zeros(), linear: Vector3::new(1.0, k as f64, -1.0) }).collect();
    let values: Vec<f64> = (0..11).map(|k| 1.0 + k as f64).collect();
    let mut track = Track::new("body", dot, poses, vec![Vector3::zeros(); 11], momenta);
    let leg_load = Quantity::new("leg_load", "N");
    track.series.extend([ITERATIONS, RESIDUAL, KINETIC_ENERGY, leg_load].map(|quantity| quantity.per_frame(values.clone())));
    let mut motion = Motion::new(0.5, vec![track]);
    let titles = |motion: &Motion| motion_plots(motion).into_iter().map(|p| p.title).collect::<Vec<_>>();
    assert_eq!(titles(&motion), ["speed", "kinetic energy", "leg load", "momentum", "angular momentum", "iterations", "residual"]);
    let plots = motion_plots(&motion);
    assert_eq!((plots[6].scale, plots[3].unit.as_str(), plots[3].series.len()), (Scale::Log, "kg m/s", 3));
    assert_eq!(plots[0].x, (0..11).map(|k| k as f64 * 0.5).collect::<Vec<_>>());
    let text = stack(&plots);
    is_clean(&text);
    assert_eq!(lines(&text).len(), 1 + 3 + 3 + 4);
    assert_eq!(labels(&text, "x"), ["0", "1", "2", "3", "4", "5"]);
    for heading in ["speed (m/s)", "momentum (kg m/s)", "kinetic energy (J)", "residual (log scale)", "time (s)"] {
        assert!(text.contains(heading), "{heading}");
    }
    // Where friction rules, what is recorded is the drag.
    motion.momentum_kind = MomentumKind::Drag;
    assert_eq!(titles(&motion)[3..5], ["net drag", "net drag torque"]);
    // What is read together shares a plot; what is zero throughout is left out.
    let of_energy = [("potential_energy", "potential", 2.0), ("elastic_energy", "elastic", 0.0)];
    for (name, label, value) in of_energy {
        motion.tracks[0].series.push(Quantity::new(name, "J").among("energy", label).per_frame(vec![value; 11]));
    }
    let energy = motion_plots(&motion).into_iter().find(|plot| plot.title == "energy").unwrap();
    assert_eq!(energy.series.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["kinetic", "potential"]);
    // Of several bodies each quantity has a line for each.
    motion.tracks.push(Track { name: "other".into(), ..motion.tracks[0].clone() });
    let kinetic = motion_plots(&motion).into_iter().find(|plot| plot.title == "kinetic energy").unwrap();
    assert_eq!(kinetic.series.iter().map(|line| line.name.as_str()).collect::<Vec<_>>(), ["body", "other"]);
    motion.tracks.clear();
    is_clean(&stack(&motion_plots(&motion)));
}

/// States of legs over time: a row for each leg, a colour for each state.
#[test]
fn bars_lie_in_rows_of_their_own_thickness() {
    let steps = |from: f64| (0..36).flat_map(move |leg| [[from + 0.01 * f64::from(leg), f64::from(leg)], [from + 0.3, f64::from(leg)]]);
    let chart = Chart::new("legs", ChartAxis::linear("time", "s"), ChartAxis::linear("leg", ""))
        .with("stance", steps(0.0).collect(), Stroke::Bars)
        .with("swing", steps(0.5).collect(), Stroke::Bars)
        // A last point without its pair, and a pair that is not finite, are left out.
        .with("lost", vec![[0.0, 3.0], [f64::NAN, 3.0], [0.2, 3.0]], Stroke::Bars);
    let text = of_motion(&Motion { charts: vec![chart], ..Motion::new(0.1, Vec::new()) });
    is_clean(&text);
    let bars: Vec<&str> = text.lines().filter(|line| line.contains("class=\"b ")).collect();
    assert_eq!(bars.len(), 6, "three lines and their names in the legend");
    let counts: Vec<usize> = bars[..3].iter().map(|bar| bar.split(" d=").nth(1).unwrap().matches('M').count()).collect();
    assert_eq!(counts, [36, 36, 0]);
    let number =
        |text: &str, before: &str| text.split(before).nth(1).unwrap().split(['"', 'H', ' ']).next().unwrap().parse::<f64>().unwrap();
    // Rows are apart, and bars fill most of them without touching.
    let ys: Vec<f64> = bars[0].split('M').skip(1).map(|bar| number(bar, " ")).collect();
    let apart = ys.windows(2).map(|pair| pair[0] - pair[1]).fold(f64::INFINITY, f64::min);
    let thick = number(bars[0], "stroke-width=\"");
    assert!(thick > 0.6 * apart && thick < 0.9 * apart && apart > 6.0, "{thick} of {apart}"); // measured 6.5 of 9
    assert!(["c0", "c1", "c2"].iter().zip(&bars).all(|(color, bar)| bar.contains(color)), "each its own colour");
    for name in ["stance", "swing", "lost"] {
        assert!(text.contains(&format!(">{name}<")));
    }
}
