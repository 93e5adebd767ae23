//! Differential tests of everything below the front ends. Random and directed programs are run by the reference interpreter after every
//! pass, by the interpreter of the imperative IR, and compiled.
//!
//! `WARPWISE_SEEDS=1000..2000` selects other random programs than the few that always run, and prints failures as they occur.

mod directed;
mod oracle;
mod random;
mod sizes;
mod values;

use std::sync::Arc;

use libtest_mimic::{Arguments, Failed, Trial};

use oracle::Machines;

/// Default seeds of random programs.
const SEEDS: std::ops::Range<u64> = 0..120;

/// Number of trials that random programs are divided into.
const SHARDS: u64 = 4;

fn main() {
    let arguments = Arguments::from_args();
    let machines = Arc::new(Machines::new());
    let mut trials = directed::trials(&machines);
    let seeds = match std::env::var("WARPWISE_SEEDS") {
        Ok(text) => range(&text).expect("WARPWISE_SEEDS is a range like 100..200"),
        Err(_) => SEEDS,
    };
    for shard in 0..SHARDS {
        let (machines, seeds) = (Arc::clone(&machines), seeds.clone());
        let check = move || {
            random::check(&machines, seeds.skip(shard as usize).step_by(SHARDS as usize))
                .map_err(Failed::from)
        };
        trials.push(Trial::test(format!("random programs {shard}"), check));
    }
    // Only every fourth seed, because each program has to be compiled for every machine.
    let check = move || sizes::check(&machines, seeds.step_by(4)).map_err(Failed::from);
    trials.push(Trial::test("random sizes", check));
    libtest_mimic::run(&arguments, trials).exit();
}

fn range(text: &str) -> Option<std::ops::Range<u64>> {
    let (first, end) = text.split_once("..")?;
    Some(first.parse().ok()?..end.parse().ok()?)
}
