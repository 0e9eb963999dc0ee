//! `holonomy sweep`: many variations of a scene, in parallel, into one table.

use std::path::Path;

use anyhow::{Result, anyhow};
use holonomy_scene::export::files::write_atomically;
use holonomy_scene::job::check_place;
use holonomy_scene::sweep::{Shard, Sweep, Table, economy_as_toml};
use holonomy_scene::words;

use super::{Ending, run};
use crate::{args, interrupt, output, report};

/// Rows of the printed table; the file has all.
const SHOWN: usize = 40;

/// Runs the points that are not there yet, then writes the table of all.
pub fn grid(args: &args::Sweep) -> Result<Ending> {
    let shard = args.shard.as_deref().map_or(Ok(Shard::WHOLE), Shard::read)?;
    let (name, scene, folder) = run::load(&args.scene, &args.set)?;
    let sweep = Sweep::new(&name, scene, folder, &args.vary)?;
    interrupt::listen();
    run::writable(&args.out)?;
    let whole = args.out.join(shard.file_name(&name));
    let partial = whole.with_extension("partial.csv");
    check_place(&args.out, &name)?;
    run::overwrites_nothing(Some(&args.scene), &sweep.source_paths()?, [&whole, &partial].map(Clone::clone).into_iter())?;
    let bar = report::Bar::counting("points", &name, !args.quiet && !args.json);
    let cache = args.out.join(format!("{name}.sweep"));
    let table = sweep.run(&cache, shard, args.threads.map_or(0, usize::from), &|progress| {
        bar.show(progress.finished, progress.points);
        interrupt::flow()
    })?;
    // What is not complete takes no earlier table's place.
    let file = if table.complete() { &whole } else { &partial };
    {
        let _whole = interrupt::writing();
        write_atomically(file, table.to_csv().as_bytes())?;
        if table.complete() && partial.exists() {
            std::fs::remove_file(&partial).map_err(|error| anyhow!("cannot remove {}: {error}", words::of_path(&partial)))?;
        }
    }
    if !args.quiet {
        table.notes.iter().take(SHOWN).for_each(|note| tell!("note: {note}"));
        if table.notes.len() > SHOWN {
            tell!("note: … and {} more such", table.notes.len() - SHOWN);
        }
    }
    let found = table.rows.len() - table.ran.min(table.rows.len());
    bar.close(&format!("{} points run, {found} were there, in {:.3} s", table.ran, bar.seconds()));
    if args.json {
        output::document(&table.to_json()?);
    } else if !args.quiet {
        show(&table, file);
    }
    Ok(if table.complete() && table.failed() == 0 { Ending::Done } else { Ending::Failed })
}

/// The short table on standard output.
fn show(table: &Table, file: &Path) {
    say!("{}", words::one_line(&table.name));
    let heads = table.axes.iter().map(|axis| axis.unit.as_ref().map_or_else(|| axis.key.clone(), |unit| format!("{} [{unit}]", axis.key)));
    let measured = table.figures();
    let results = ["body lengths", "rotation [deg]"].into_iter().chain(measured.iter().copied()).chain([""]).map(str::to_owned);
    let mut lines: Vec<Vec<String>> = vec![heads.chain(results).collect()];
    lines.extend(table.rows.iter().take(SHOWN).map(|(index, row)| {
        let values = table.values(*index).into_iter().map(|(_, value)| short(value));
        let figures = measured.iter().map(|&name| row.figures.get(name).copied());
        let verdict = row.error.as_ref().map_or_else(String::new, |error| format!("FAILED: {error}"));
        let numbers = [row.displacement_body_lengths, row.rotation_deg].into_iter().chain(figures);
        values.chain(numbers.map(|value| value.map_or_else(String::new, digits))).chain([verdict]).collect()
    }));
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines.first().map_or(0, Vec::len)).map(width).collect();
    for line in &lines {
        let cells: Vec<String> = line.iter().zip(&widths).map(|(cell, width)| format!("{:<width$}", words::one_line(cell))).collect();
        say!("  {}", cells.join("  ").trim_end());
    }
    if table.rows.len() > SHOWN {
        say!("  … and {} more in the file", table.rows.len() - SHOWN);
    }
    if table.failed() > 0 {
        say!("  {} of {} points FAILED", table.failed(), table.rows.len());
    }
    if !table.complete() {
        say!("  stopped: {} of {} points are done; the same command goes on from here", table.rows.len(), table.asked);
    }
    if let Some(economy) = table.economy() {
        let [low, high] = [f64::min, f64::max].map(|pick: fn(f64, f64) -> f64| {
            economy.optima.iter().map(|best| best.phase_shift).reduce(pick).unwrap_or(0.0) / std::f64::consts::PI
        });
        let [slow, fast] = economy.line.speeds;
        say!(
            "  least power for speeds from {slow:.3} to {fast:.3} m/s: phase shifts of {low:.2} to {high:.2} π; power grows as speed^{:.1}",
            economy.exponent
        );
        say!("  to swim so, give `speed` in the stroke of a scene, and {}", economy_as_toml(&economy));
    }
    say!("  wrote {}", words::of_path(file));
}

/// A result in few digits.
fn digits(value: f64) -> String {
    if value == 0.0 || (1e-2..1e6).contains(&value.abs()) { format!("{value:.4}") } else { format!("{value:.3e}") }
}

/// A long number in few digits; other text as it is.
fn short(value: &str) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > 8 && (1e-3..1e6).contains(&number.abs()) => format!("{number:.5}"),
        Ok(number) if value.len() > 8 => format!("{number:.4e}"),
        _ => value.to_owned(),
    }
}
