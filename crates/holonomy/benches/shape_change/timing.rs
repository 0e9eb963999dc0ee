//! Repeated wall and processor times of one closure.

use std::time::{Duration, Instant};

/// Work per second.
pub struct Rate {
    /// By the median of the wall times.
    pub value: f64,
    /// By the shortest wall time.
    best: f64,
    /// By the processor time: the steadier figure while other programs hold the core. As `value` where the system does not tell.
    pub cpu: f64,
    /// Processor time over wall time.
    cpu_fraction: f64,
    repeats: usize,
}

/// How long each case is repeated.
const BUDGET: Duration = Duration::from_millis(600);

impl Rate {
    /// Runs `work`, which does `amount` of it, at least five times.
    pub fn of(amount: usize, mut work: impl FnMut()) -> Rate {
        work();
        let (start, cpu) = (Instant::now(), processor_time());
        let mut walls = Vec::new();
        while walls.len() < 5 || start.elapsed() < BUDGET {
            let once = Instant::now();
            work();
            walls.push(once.elapsed().as_secs_f64());
        }
        let wall = start.elapsed().as_secs_f64();
        let cpu = processor_time().zip(cpu).map(|(after, before)| after - before);
        walls.sort_by(f64::total_cmp);
        let (amount, repeats) = (amount as f64, walls.len());
        let value = amount / walls[repeats / 2];
        let by_cpu = cpu.map_or(value, |cpu| amount * repeats as f64 / cpu);
        Rate { value, best: amount / walls[0], cpu: by_cpu, cpu_fraction: cpu.map_or(1.0, |cpu| cpu / wall), repeats }
    }

    /// As work per second, for the peers' form.
    #[allow(dead_code, reason = "each bench prints one of the two")]
    pub fn json(&self) -> String {
        format!(
            "\"value\": {:.6e}, \"best\": {:.6e}, \"cpu\": {:.6e}, \"repeats\": {}, \"cpu_frac\": {:.4}",
            self.value, self.best, self.cpu, self.repeats, self.cpu_fraction
        )
    }

    /// As milliseconds per unit of work.
    #[allow(dead_code, reason = "each bench prints one of the two")]
    pub fn json_cost(&self) -> String {
        let [value, best, cpu] = [self.value, self.best, self.cpu].map(|rate| 1e3 / rate);
        format!(
            "\"value\": {value:.6e}, \"best\": {best:.6e}, \"cpu\": {cpu:.6e}, \"repeats\": {}, \"cpu_frac\": {:.4}",
            self.repeats, self.cpu_fraction
        )
    }
}

/// Seconds this thread has run (Linux).
fn processor_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(text.split(' ').next()?.parse::<f64>().ok()? * 1e-9)
}
