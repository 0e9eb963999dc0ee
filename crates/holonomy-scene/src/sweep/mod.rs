//! Many runs of one scene: a grid over any of its fields, in parallel, into one table.
//!
//! Each point of the [`Grid`] is the scene with some fields replaced. What came of it, a [`Row`], is kept in a folder under a name
//! made of everything that went in (`cache.rs`); a point that is there is not run again, so a sweep that was stopped, even by force, goes on
//! where it was. Rows depend on nothing but their point: the table is the same, bit for bit, for any number of threads.
//! Nothing is printed here.

mod cache;
mod economy;
mod grid;
mod table;
mod turns;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use self::cache::Found;
pub use self::economy::economy_as_toml;
pub use self::grid::{Axis, Grid, Shard};
pub use self::table::{Row, Table};
use self::turns::Place;
use crate::export::summary::SummaryOutcome;
use crate::export::temporary::remove_stale;
use crate::job::{self, Job};
use crate::scene::Scene;
use crate::{Error, IoAction, memory, words};

/// A scene and what to vary in it.
#[derive(Debug)]
pub struct Sweep {
    /// Name of the results.
    pub name: String,
    /// Where files of the scene are looked for.
    pub folder: PathBuf,
    /// The variations.
    pub grid: Grid,
    scene: Scene,
}

/// How far a sweep is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Points to do.
    pub points: usize,
    /// Points whose row is there.
    pub finished: usize,
    /// Those of them that were run now, not found.
    pub ran: usize,
}

impl Sweep {
    /// A sweep over `vary`, each `KEY=FROM..TO:COUNT`, `KEY=FROM..TO:COUNTlog` or `KEY=A,B,C`; if there is none, over what the scene itself says.
    ///
    /// # Errors
    /// The name is that of another scene's results; a text that is none of these, a field that is
    /// not there or is there twice, a value that does not fit, too many points, nothing to vary,
    /// or the first point's asset cannot be read.
    pub fn new(name: &str, mut scene: Scene, folder: &Path, vary: &[String]) -> Result<Sweep, Error> {
        job::check_name(name)?;
        let own = std::mem::take(&mut scene.sweep).vary;
        let grid = if vary.is_empty() { Grid::new(&scene, &own, "[sweep] vary")? } else { Grid::new(&scene, vary, "--vary")? };
        let sweep = Sweep { name: name.into(), folder: folder.into(), grid, scene };
        cache::Inputs::default().key(&sweep.scene_at(0)?, folder, &[])?;
        Ok(sweep)
    }

    /// The files that the first point is read from.
    ///
    /// # Errors
    /// Its values do not fit together.
    pub fn source_paths(&self) -> Result<Vec<PathBuf>, Error> {
        Ok(crate::inner::sources(&self.scene_at(0)?, &self.folder, &[]))
    }

    /// The scene of point `index`, counted from 0; the last field varies fastest.
    ///
    /// # Errors
    /// The values do not fit together.
    pub fn scene_at(&self, index: usize) -> Result<Scene, Error> {
        self.grid.apply(&self.scene, index)
    }

    /// Runs the points of `shard` that are not in the folder `cache` yet, on `threads` threads (0: one per core). `progress` is told at every
    /// step and may ask to stop; points under way are then left out of the table.
    ///
    /// # Errors
    /// The cache cannot be written. A point that fails is no error: it is a row.
    pub fn run(
        &self,
        cache: &Path,
        shard: Shard,
        threads: usize,
        progress: &(dyn Fn(Progress) -> ControlFlow<()> + Sync),
    ) -> Result<Table, Error> {
        std::fs::create_dir_all(cache).map_err(|error| Error::io(IoAction::Create, cache, error))?;
        remove_stale(cache);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool = pool.map_err(|error| Error::Choice(format!("cannot start {threads} threads: {error}\n  fix: use fewer")))?;
        let indices: Vec<usize> = shard.indices(self.grid.points()).collect();
        let under_way = UnderWay::new(cache, indices.len(), progress);
        let point = |index: usize, place: Place<Job>| Ok((index, self.point(index, place, &under_way)?));
        let points = turns::run_all(&pool, pool.current_num_threads(), &indices, point)?;
        let Progress { points: asked, ran, .. } = under_way.so_far();
        let rows = points.into_iter().filter_map(|(index, row)| Some((index, row?))).collect();
        let notes = under_way.notes();
        Ok(Table { name: self.name.clone(), axes: self.grid.axes().to_vec(), rows, asked, ran, notes })
    }

    /// The row of one point; `None` if the sweep was stopped before it was there. What is kept is
    /// the last job that ran in this place.
    ///
    /// # Errors
    /// The cache cannot be written, or there is no room for the point beside others.
    fn point(&self, index: usize, Place { kept: job, alone }: Place<Job>, under_way: &UnderWay) -> Result<Option<Row>, Error> {
        let stop = under_way.tick().is_break();
        let input = self.scene_at(index).and_then(|scene| Ok((under_way.inputs.key(&scene, &self.folder, &[])?, scene)));
        let (key, scene) = match input {
            Ok(input) => input,
            Err(error @ Error::TooLarge { .. }) if !alone => return Err(error),
            Err(error) => return Ok(under_way.finished(Row::failed(&error), false)),
        };
        match cache::read(under_way.cache, &key) {
            Found::Row(row) => return Ok(under_way.finished(*row, false)),
            Found::Unusable(why) => under_way.note(index, &cache::file(under_way.cache, &key), why),
            Found::Nothing => {}
        }
        if stop {
            return Ok(None); // but rows of earlier sweeps are still looked for: a stopped table has all that is there
        }
        let (row, lasting) = match self.summary(scene, job, under_way) {
            Ok(summary) if matches!(summary.outcome, SummaryOutcome::Interrupted { .. }) => return Ok(None),
            Err(_) if under_way.stopped() => return Ok(None),
            Err(error @ Error::TooLarge { .. }) if !alone => return Err(error),
            Ok(summary) => (Row::new(&summary), true),
            // What the machine had no room for, or could not read, may go better next time.
            Err(error) => (Row::failed(&error), !matches!(error, Error::Io { .. } | Error::TooLarge { .. })),
        };
        // A folder that stands in the entry's place stays: the row is not kept, and the point is
        // run again next time.
        if lasting && !cache::file(under_way.cache, &key).is_dir() {
            cache::write(under_way.cache, &key, &row)?;
        }
        Ok(under_way.finished(row, true))
    }

    fn summary(&self, scene: Scene, job: &mut Option<Job>, under_way: &UnderWay) -> Result<crate::export::summary::Summary, Error> {
        let ready = match job.take() {
            Some(last) => last.with_scene(scene, &self.folder, &mut |_, _| under_way.tick())?,
            None => {
                memory::forget();
                Job::prepare_watched(&self.name, scene, &self.folder, &mut |_, _| under_way.tick())?
            }
        };
        let summary = ready.summarise(&mut |_, _| under_way.tick());
        *job = Some(ready);
        summary
    }
}

/// What the threads share.
struct UnderWay<'a> {
    cache: &'a Path,
    inputs: cache::Inputs,
    points: usize,
    finished: AtomicUsize,
    ran: AtomicUsize,
    stopped: AtomicBool,
    /// Points whose entry could not be taken, and what to say of them.
    notes: Mutex<Vec<(usize, String)>>,
    progress: &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync),
}

impl<'a> UnderWay<'a> {
    fn new(cache: &'a Path, points: usize, progress: &'a (dyn Fn(Progress) -> ControlFlow<()> + Sync)) -> Self {
        let (finished, ran, stopped) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicBool::new(false));
        UnderWay { cache, inputs: cache::Inputs::default(), points, finished, ran, stopped, notes: Mutex::default(), progress }
    }

    fn so_far(&self) -> Progress {
        Progress { points: self.points, finished: self.finished.load(Ordering::SeqCst), ran: self.ran.load(Ordering::SeqCst) }
    }

    fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }

    /// Says why the entry of a point was not taken.
    fn note(&self, index: usize, file: &Path, why: String) {
        let note = format!("{} was not taken, and its point {} is run again: {why}", words::of_path(file), index + 1);
        self.notes.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).push((index, note));
    }

    /// What the user should know, in the order of the grid.
    fn notes(self) -> Vec<String> {
        let mut notes = self.notes.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner());
        notes.sort();
        if cache::build().is_none() {
            let note = "the program's own file cannot be read, so rows that another build of this \
                        version kept are taken, too; remove the folder to run all again";
            notes.insert(0, (0, note.to_owned()));
        }
        notes.into_iter().map(|(_, note)| note).collect()
    }

    /// Tells how far we are; asks whether to stop.
    fn tick(&self) -> ControlFlow<()> {
        if self.stopped() || (self.progress)(self.so_far()).is_break() {
            self.stopped.store(true, Ordering::SeqCst);
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }

    fn finished(&self, row: Row, ran: bool) -> Option<Row> {
        self.ran.fetch_add(usize::from(ran), Ordering::SeqCst);
        self.finished.fetch_add(1, Ordering::SeqCst);
        let _ = self.tick(); // the next point hears of it
        Some(row)
    }
}
