//! Smoke in a box, by Stam's stable fluids: `cargo run --release --example fluid [FILE.png]`.
//!
//! Velocity and density diffuse and are advected by the velocity, and the velocity is made divergence-free. Walls reflect: values
//! beyond them equal the nearest values inside.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;

use warpwise::{Acc, Array, Boundary, Context, Exp, Matrix, awhile, generate, unit};

type Field = Matrix<f32>;

/// Number of iterations of Jacobi's method.
const ROUNDS: i64 = 20;

const TIME_STEP: f32 = 0.1;
const VISCOSITY: f32 = 0.0001;

/// Solves `here - a * (sum of the four neighbours) = right * c` approximately, with a fixed number of iterations.
fn relax(right: &Acc<Field>, a: f32, c: f32) -> Acc<Field> {
    let (relaxed, _) = awhile(
        &(right.clone(), unit(0_i64)),
        |(_, round)| round.the().lt(ROUNDS),
        |(field, round)| {
            let next = field.stencil2(
                Boundary::Clamp,
                right,
                Boundary::Clamp,
                |[[_, up, _], [left, _, right], [_, down, _]], [[here]]| {
                    (here + (up + left + right + down) * a) / c
                },
            );
            (next, round.map(|round| round + 1))
        },
    );
    relaxed
}

/// Diffuses a field.
fn diffuse(field: &Acc<Field>, spread: f32) -> Acc<Field> {
    relax(field, TIME_STEP * spread, 1.0 + 4.0 * TIME_STEP * spread)
}

/// Advects a field: every point receives the value at the origin of its path.
fn advect(field: &Acc<Field>, across: &Acc<Field>, along: &Acc<Field>) -> Acc<Field> {
    let (n, m) = field.extents();
    let (field, across, along) = (field.reader(), across.reader(), along.reader());
    generate((n, m), move |(i, j)| {
        let from = |place: Exp<i64>, speed: Exp<f32>, extent: Exp<i64>| {
            let exact = place.cast::<f32>() - speed * TIME_STEP * extent.cast::<f32>();
            exact.max(0.0).min((extent - 1).cast::<f32>())
        };
        let (y, x) = (from(i, along.at((i, j)), n), from(j, across.at((i, j)), m));
        let (top, left) = (y.cast::<i64>(), x.cast::<i64>());
        let (bottom, right) = ((top + 1).min(n - 1), (left + 1).min(m - 1));
        let (down, aside) = (y - top.cast::<f32>(), x - left.cast::<f32>());
        let mixed = |row: Exp<i64>| field.at((row, left)) * (1.0 - aside) + field.at((row, right)) * aside;
        mixed(top) * (1.0 - down) + mixed(bottom) * down
    })
}

/// Makes a velocity divergence-free.
fn project(across: &Acc<Field>, along: &Acc<Field>) -> (Acc<Field>, Acc<Field>) {
    let divergence = across.stencil2(
        Boundary::Clamp,
        along,
        Boundary::Clamp,
        |[[left, _, right]], [[up], [_], [down]]| (right - left + down - up) * -0.5,
    );
    let pressure = relax(&divergence, 1.0, 4.0);
    let slopes = pressure.stencil(Boundary::Clamp, |[[_, up, _], [left, _, right], [_, down, _]]| {
        ((right - left) * 0.5, (down - up) * 0.5)
    });
    let (aside, downwards) = (slopes.map(|(x, _)| x), slopes.map(|(_, y)| y));
    (across.zip_with(&aside, |v, p| v - p), along.zip_with(&downwards, |v, p| v - p))
}

/// Computes the density and velocity after a step, with smoke and wind at the bottom of the box.
fn step(
    density: &Acc<Field>,
    across: &Acc<Field>,
    along: &Acc<Field>,
) -> (Acc<Field>, Acc<Field>, Acc<Field>) {
    let (n, m) = density.extents();
    let at_source = move |i: Exp<i64>, j: Exp<i64>| {
        (i.ge(n - n / 8) & (j - m / 2).abs().le(m / 16)).to_int().cast::<f32>()
    };
    let density = density.imap(move |(i, j), here| here + at_source(i, j) * TIME_STEP);
    let along = along.imap(move |(i, j), here| here - at_source(i, j) * (0.5 * TIME_STEP));
    let across = across
        .imap(move |(i, j), here| here + at_source(i, j) * (i.cast::<f32>() * 0.7).sin() * (0.2 * TIME_STEP));
    let (across, along) = project(&diffuse(&across, VISCOSITY), &diffuse(&along, VISCOSITY));
    let (across, along) = (advect(&across, &across, &along), advect(&along, &across, &along));
    let (across, along) = project(&across, &along);
    (advect(&diffuse(&density, VISCOSITY), &across, &along), across, along)
}

/// Computes the density after `steps` steps from a box at rest.
fn simulate(n: Exp<i64>, m: Exp<i64>, steps: Exp<i64>) -> Acc<Field> {
    let still = warpwise::fill((n, m), 0.0_f32);
    let (density, _, _, _) = awhile(
        &(still.clone(), still.clone(), still, unit(0_i64)),
        |(_, _, _, round)| round.the().lt(steps),
        |(density, across, along, round)| {
            let (density, across, along) = step(&density, &across, &along);
            (density, across, along, round.map(|round| round + 1))
        },
    );
    density
}

/// The same computation with loops.
mod expected {
    use super::{ROUNDS, TIME_STEP, VISCOSITY};

    pub struct Box {
        pub n: usize,
        pub m: usize,
    }

    impl Box {
        fn at(&self, field: &[f32], i: i64, j: i64) -> f32 {
            let (i, j) = (i.clamp(0, self.n as i64 - 1), j.clamp(0, self.m as i64 - 1));
            field[i as usize * self.m + j as usize]
        }

        fn each(&self, value: impl Fn(i64, i64) -> f32) -> Vec<f32> {
            (0..self.n * self.m)
                .map(|place| value((place / self.m) as i64, (place % self.m) as i64))
                .collect()
        }

        fn relax(&self, right: &[f32], a: f32, c: f32) -> Vec<f32> {
            let mut field = right.to_vec();
            for _ in 0..ROUNDS {
                field = self.each(|i, j| {
                    let near = self.at(&field, i - 1, j) + self.at(&field, i, j - 1);
                    let far = self.at(&field, i, j + 1) + self.at(&field, i + 1, j);
                    (self.at(right, i, j) + (near + far) * a) / c
                });
            }
            field
        }

        fn diffuse(&self, field: &[f32]) -> Vec<f32> {
            self.relax(field, TIME_STEP * VISCOSITY, 1.0 + 4.0 * TIME_STEP * VISCOSITY)
        }

        fn advect(&self, field: &[f32], across: &[f32], along: &[f32]) -> Vec<f32> {
            self.each(|i, j| {
                let from = |place: i64, speed: f32, extent: usize| {
                    (place as f32 - speed * TIME_STEP * extent as f32).max(0.0).min(extent as f32 - 1.0)
                };
                let (y, x) = (from(i, self.at(along, i, j), self.n), from(j, self.at(across, i, j), self.m));
                let (down, aside) = (y.fract(), x.fract());
                let mixed = |row: i64| {
                    self.at(field, row, x as i64) * (1.0 - aside) + self.at(field, row, x as i64 + 1) * aside
                };
                mixed(y as i64) * (1.0 - down) + mixed(y as i64 + 1) * down
            })
        }

        fn project(&self, across: &[f32], along: &[f32]) -> (Vec<f32>, Vec<f32>) {
            let divergence = self.each(|i, j| {
                let aside = self.at(across, i, j + 1) - self.at(across, i, j - 1);
                (aside + self.at(along, i + 1, j) - self.at(along, i - 1, j)) * -0.5
            });
            let pressure = self.relax(&divergence, 1.0, 4.0);
            let slope = |i: i64, j: i64, di: i64, dj: i64| {
                (self.at(&pressure, i + di, j + dj) - self.at(&pressure, i - di, j - dj)) * 0.5
            };
            (
                self.each(|i, j| self.at(across, i, j) - slope(i, j, 0, 1)),
                self.each(|i, j| self.at(along, i, j) - slope(i, j, 1, 0)),
            )
        }

        pub fn simulate(&self, steps: usize) -> Vec<f32> {
            let (n, m) = (self.n as i64, self.m as i64);
            let source = |i: i64, j: i64| f32::from(u8::from(i >= n - n / 8 && (j - m / 2).abs() <= m / 16));
            let still = self.each(|_, _| 0.0);
            let (mut density, mut across, mut along) = (still.clone(), still.clone(), still);
            for _ in 0..steps {
                density = self.each(|i, j| self.at(&density, i, j) + source(i, j) * TIME_STEP);
                along = self.each(|i, j| self.at(&along, i, j) - source(i, j) * (0.5 * TIME_STEP));
                across = self.each(|i, j| {
                    self.at(&across, i, j) + source(i, j) * (i as f32 * 0.7).sin() * (0.2 * TIME_STEP)
                });
                (across, along) = self.project(&self.diffuse(&across), &self.diffuse(&along));
                (across, along) =
                    (self.advect(&across, &across, &along), self.advect(&along, &across, &along));
                (across, along) = self.project(&across, &along);
                density = self.advect(&self.diffuse(&density), &across, &along);
            }
            density
        }
    }
}

/// Compares with loops.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let function = context.compile(simulate)?;
    for (n, m, steps) in [(16, 20, 6), (1, 1, 2), (3, 1, 1), (0, 4, 1), (5, 5, 0)] {
        let found = function.run(n as i64, m as i64, steps)?.to_vec();
        let expected = expected::Box { n, m }.simulate(steps as usize);
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(&expected).all(|(found, expected)| (found - expected).abs() < 1e-3));
        assert!(steps < 6 || expected.iter().sum::<f32>() > 0.5, "there is smoke");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "fluid.png".to_string());
    let (n, m) = (200, 200);
    let picture = Context::new()?.compile(|n: Exp<i64>, m: Exp<i64>, steps: Exp<i64>| {
        simulate(n, m, steps).map(|density| ((1.0 - (-density * 2.0).exp()) * 255.0).cast::<u8>())
    })?;
    let picture: Array<_, u8> = picture.run(n, m, 200)?;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), m as u32, n as u32);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.write_header()?.write_image_data(picture.as_slice())?;
    println!("{path}: {m} by {n}");
    Ok(())
}
