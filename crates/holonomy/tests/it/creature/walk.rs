//! Walking.
use super::*;
use holonomy::systems::creature::brain::Command;

#[test]
fn trial() {
    let terrain = Terrain::flat(0.0);
    for seed in 0..3 {
        let mut creature = StandIn::new(MakeUp::centipede(), &terrain, Vector3::zeros(), Vector3::x(), seed);
        println!("lag expected {:?} length {}", creature.walker.make_up().expected_lag(), creature.walker.make_up().length());
        let around = Surroundings { command: Some(Command { speed: 0.1, turn: 0.0 }), ..Surroundings::bare(&terrain) };
        let (mut holds, mut feet) = (Vec::new(), Feet::default());
        for tick in 0..1800 {
            creature.watched_tick(&around, &mut holds, &mut feet);
            if tick % 20 == 0 && seed == 0 {
                let c = |p| match p {
                    Phase::ForwardUp => 'f',
                    Phase::ForwardDown => 'F',
                    Phase::BackwardDown => 'b',
                    Phase::BackwardUp => 'B',
                    Phase::Stance => '_',
                    Phase::Adjust => 'A',
                    Phase::Tucked => 't',
                };
                let row: String = creature
                    .state
                    .legs
                    .iter()
                    .map(|l| c(l[0].phase))
                    .chain(" ".chars())
                    .chain(creature.state.legs.iter().map(|l| c(l[1].phase)))
                    .collect();
                println!(
                    "{tick:5} {row} {:?} {:.4} {:.4} {:?}",
                    creature.state.brain.mode,
                    creature.head().x,
                    creature.poses[18].translation.x,
                    creature.state.body_mode
                );
            }
        }
        println!("{feet:?}");
    }
}
