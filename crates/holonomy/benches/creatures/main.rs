//! Creatures beside their peers, one thread.
//!
//! ```sh
//! cargo bench -p holonomy --bench creatures          # all tables
//! cargo bench -p holonomy --bench creatures -- soft  # chains of rigid segments and soft blocks
//! ```

mod soft;
#[path = "../shape_change/timing.rs"]
mod timing;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let wanted = |name: &str| words.is_empty() || words.iter().any(|word| word == name);
    if wanted("soft") {
        soft::run();
    }
}
