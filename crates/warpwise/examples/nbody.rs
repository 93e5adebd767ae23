//! Gravitational bodies, all pairs of which interact: `cargo run --release --example nbody [COUNT]`.

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Elt, Exp, Vector, generate};

/// Softening term, which keeps bodies that come close from being flung away.
const SOFTENING: f64 = 0.01;

/// A body.
#[derive(Clone, Copy, PartialEq, Debug, Elt)]
struct Body {
    place: [f64; 3],
    speed: [f64; 3],
    mass: f64,
}

/// Computes the pull of another body on the body at `at`.
fn pull(at: [Exp<f64>; 3], other: BodyExp) -> [Exp<f64>; 3] {
    let away = [0, 1, 2].map(|i| other.place[i] - at[i]);
    let distance = away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + SOFTENING;
    let strength = other.mass / (distance * distance.sqrt());
    away.map(|part| part * strength)
}

/// Advances the bodies by one time step.
fn step(bodies: &Acc<Vector<Body>>, time: Exp<f64>) -> Acc<Vector<Body>> {
    let (count, reader) = (bodies.size(), bodies.reader());
    let pulls = generate((count, count), move |(i, j)| pull(reader.at(i).place, reader.at(j)));
    let zero = [0.0; 3];
    let forces = pulls.reduce(zero, |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    bodies.zip_with(&forces, move |body, force| {
        let speed = [0, 1, 2].map(|i| body.speed[i] + force[i] * time);
        BodyExp { place: [0, 1, 2].map(|i| body.place[i] + speed[i] * time), speed, mass: body.mass }
    })
}

fn bodies(count: usize) -> Vec<Body> {
    let spread = |i: usize, factor: usize| ((i * factor) % 1009) as f64 / 1009.0 - 0.5;
    let body = |i| Body { place: [spread(i, 7), spread(i, 31), spread(i, 97)], speed: [0.0; 3], mass: 1.0 };
    (0..count).map(body).collect()
}

/// Compares with plain loops.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let function = context.compile(|bodies: Acc<Vector<Body>>, time: Exp<f64>| step(&bodies, time))?;
    for count in [0, 1, 50] {
        let before = bodies(count);
        let after = function.run(&Array::from_vec([count], before.clone())?, 0.01)?.to_vec();
        for (body, found) in before.iter().zip(after) {
            let mut force = [0.0; 3];
            for other in &before {
                let away = [0, 1, 2].map(|i| other.place[i] - body.place[i]);
                let distance = away.iter().map(|part| part * part).sum::<f64>() + SOFTENING;
                for (force, away) in force.iter_mut().zip(away) {
                    *force += away * other.mass / (distance * distance.sqrt());
                }
            }
            for (i, force) in force.into_iter().enumerate() {
                assert!((found.speed[i] - force * 0.01).abs() < 1e-9);
                assert!((found.place[i] - body.place[i] - found.speed[i] * 0.01).abs() < 1e-9);
            }
        }
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1000), |count| count.parse())?;
    let context = Context::new()?;
    check(&context)?;
    let function = context.compile(|bodies: Acc<Vector<Body>>, time: Exp<f64>| step(&bodies, time))?;
    let mut bodies = Array::from_vec([count], bodies(count))?;
    let start = Instant::now();
    for _ in 0..10 {
        bodies = function.run(&bodies, 0.001)?;
    }
    println!(
        "10 steps of {count} bodies in {:?}; the first is at {:?}",
        start.elapsed(),
        bodies.get([0]).map(|b| b.place)
    );
    Ok(())
}
