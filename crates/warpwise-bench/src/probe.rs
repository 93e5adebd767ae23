//! The machine's limits, measured in the same rounds as the programs: bandwidth for each mix of reading and
//! writing, and multiply-adds.

use std::rc::Rc;

use crate::baseline::{Baselines, Licence};
use crate::compare::CLOSE;
use crate::measure::Times;
use crate::peer::Peer;
use crate::value::{Kind, Value};
use crate::work::{Goal, Limit, Output, Work};

/// The probes that a limit needs, and their combined result.
pub struct Probes {
    limit: Limit,
    /// The amount that one run of each probe moves or computes.
    amounts: Vec<f64>,
}

impl Probes {
    /// Prepares the probes of a limit. They take part in the rounds as peers, in this order.
    pub fn prepare(
        limit: Limit,
        scale: f64,
        baselines: &Baselines,
    ) -> Result<(Probes, Vec<Box<dyn Peer>>), String> {
        let n = ((1e8 * scale) as usize).max(4096);
        let bytes = 4.0 * n as f64;
        let parts = match limit {
            Limit::Read(_) => vec![(read(n), bytes)],
            Limit::Copy(_) => vec![(copy(n), 2.0 * bytes)],
            Limit::Triad(_) => vec![(triad(n), 3.0 * bytes)],
            Limit::CopyAndRead(..) => vec![(copy(n), 2.0 * bytes), (read(n), bytes)],
            Limit::Operations(_) => {
                let rounds = ((1e7 * scale) as usize).max(1000);
                vec![(multiply_add(rounds), (2 * 16 * 12 * rounds * baselines.threads()) as f64)]
            }
        };
        let mut peers: Vec<Box<dyn Peer>> = Vec::new();
        for (work, _) in &parts {
            let inputs = Rc::new((work.inputs)());
            peers.push(Box::new(baselines.c(work, &baselines.c_compilers[0], Licence::Strict, &inputs)?));
        }
        Ok((Probes { limit, amounts: parts.into_iter().map(|(_, amount)| amount).collect() }, peers))
    }

    /// Returns the minimum time of the work in each round, given the probes' times.
    pub fn limits(&self, times: &[Times]) -> Times {
        let rounds = times[0].rounds.len();
        let rate = |probe: usize, round: usize| self.amounts[probe] / times[probe].rounds[round];
        let seconds = |round| match self.limit {
            Limit::Read(amount) | Limit::Copy(amount) | Limit::Triad(amount) | Limit::Operations(amount) => {
                amount / rate(0, round)
            }
            Limit::CopyAndRead(copied, read) => copied / rate(0, round) + read / rate(1, round),
        };
        Times { name: "limit".into(), rounds: (0..rounds).map(seconds).collect() }
    }
}

fn probe(symbol: &'static str, n: usize, inputs: Box<dyn Fn() -> Vec<Value>>, output: Output) -> Work {
    Work {
        name: symbol.into(),
        program: "",
        entry: symbol,
        source: "probes",
        symbol,
        ispc: None,
        sizes: vec![n as i64],
        inputs,
        outputs: vec![output],
        tolerance: CLOSE,
        limit: None,
        goal: Goal::StrictC(0.0),
        fast: false,
    }
}

fn ones(n: usize) -> Value {
    Value::tabulate_f32(&[n], |_| 1.0)
}

fn read(n: usize) -> Work {
    probe("probe_read", n, Box::new(move || vec![ones(n)]), Output::Array(Kind::F32, vec![]))
}

fn copy(n: usize) -> Work {
    probe("probe_copy", n, Box::new(move || vec![ones(n)]), Output::Array(Kind::F32, vec![n]))
}

fn triad(n: usize) -> Work {
    let inputs = move || vec![Value::f32(0.5), ones(n), ones(n)];
    probe("probe_triad", n, Box::new(inputs), Output::Array(Kind::F32, vec![n]))
}

fn multiply_add(rounds: usize) -> Work {
    let inputs = || vec![Value::f32(0.5), Value::f32(0.25)];
    probe("probe_multiply_add", rounds, Box::new(inputs), Output::Array(Kind::F32, vec![]))
}
