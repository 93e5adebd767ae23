//! The works as handwritten programs with `ndarray` and `rayon`.

use std::ops::{Add, Mul, Sub};

use ndarray::parallel::prelude::*;
use ndarray::{Array1, Array2, Zip};

use super::ours::{Sphere, V3, spheres_of};
use super::{Computed, Made};
use crate::value::Value;

const HAND: &str = "ndarray and rayon";

pub fn black_scholes(inputs: &[Value]) -> Made {
    let [prices, strikes, years] = [0, 1, 2].map(|at| Array1::from_vec(inputs[at].f32s().to_vec()));
    let columns =
        |(calls, puts): &(Array1<f32>, Array1<f32>)| vec![vector(calls.as_slice()), vector(puts.as_slice())];
    Computed::peer(HAND, columns, move || {
        let (mut calls, mut puts) = (Array1::zeros(prices.len()), Array1::zeros(prices.len()));
        let all = Zip::from(&mut calls).and(&mut puts).and(&prices).and(&strikes).and(&years);
        all.par_for_each(|call, put, &price, &strike, &years| (*call, *put) = option(price, strike, years));
        Ok((calls, puts))
    })
}

fn option(price: f32, strike: f32, years: f32) -> (f32, f32) {
    const RISK_FREE: f32 = 0.02;
    const VOLATILITY: f32 = 0.30;
    let deviation = VOLATILITY * years.sqrt();
    let d1 = ((price / strike).ln() + (RISK_FREE + 0.5 * VOLATILITY * VOLATILITY) * years) / deviation;
    let (n1, n2) = (normal(d1), normal(d1 - deviation));
    let discounted = strike * (-RISK_FREE * years).exp();
    (price * n1 - discounted * n2, discounted * (1.0 - n2) - price * (1.0 - n1))
}

/// Computes the cumulative normal distribution (Abramowitz and Stegun, 26.2.17).
fn normal(d: f32) -> f32 {
    let k = 1.0 / (1.0 + 0.231_641_9 * d.abs());
    let coefficients = [1.330_274_4, -1.821_255_9, 1.781_477_9, -0.356_563_78, 0.319_381_54];
    let polynomial = coefficients.into_iter().fold(0.0, |sum, c| (sum + c) * k);
    let tail = 0.398_942_3 * (-0.5 * d * d).exp() * polynomial;
    if d > 0.0 { 1.0 - tail } else { tail }
}

pub fn mandelbrot(inputs: &[Value]) -> Made {
    let size = inputs[0].i32s()[0] as usize;
    let [x, y, width, radius] = [2, 3, 4, 6].map(|at| inputs[at].f32s()[0]);
    let depth = inputs[5].i32s()[0];
    let (step, left, top) = (width / size as f32, x - width / 2.0, y - width / 2.0);
    let columns = |found: &Array2<i32>| {
        let found = found.as_slice().unwrap_or_default();
        let side = found.len().isqrt();
        vec![Value::tabulate_i32(&[side, side], |i| found[i])]
    };
    Computed::peer(HAND, columns, move || {
        let mut rounds = Array2::zeros((size, size));
        Zip::indexed(&mut rounds).par_for_each(|(row, column), rounds| {
            *rounds = escape(left + column as f32 * step, top + row as f32 * step, depth, radius * radius);
        });
        Ok(rounds)
    })
}

fn escape(cx: f32, cy: f32, depth: i32, limit: f32) -> i32 {
    let (mut rounds, mut x, mut y) = (0, 0.0, 0.0);
    while rounds < depth && x * x + y * y < limit {
        (x, y) = (x * x - y * y + cx, 2.0 * x * y + cy);
        rounds += 1;
    }
    rounds
}

pub fn nbody(inputs: &[Value]) -> Made {
    let [epsilon, time] = [1, 2].map(|at| inputs[at].f32s()[0]);
    let now: Vec<Vec<f32>> = inputs[3..10].iter().map(|column| column.f32s().to_vec()).collect();
    let columns = |next: &Vec<[f32; 7]>| {
        (0..7).map(|part| Value::tabulate_f32(&[next.len()], |i| next[i][part])).collect()
    };
    Computed::peer(HAND, columns, move || {
        let [xs, ys, zs, masses, vxs, vys, vzs] =
            <&[Vec<f32>; 7]>::try_from(now.as_slice()).map_err(|_| "seven columns make a body")?;
        let moved = |i: usize| {
            let mut force = [0.0; 3];
            for (((x, y), z), mass) in xs.iter().zip(ys).zip(zs).zip(masses) {
                let away = [x - xs[i], y - ys[i], z - zs[i]];
                let distance = away.iter().map(|part| part * part).sum::<f32>() + epsilon * epsilon;
                let inverse = 1.0 / distance.sqrt();
                let strength = mass * inverse * inverse * inverse;
                force.iter_mut().zip(away).for_each(|(force, away)| *force += strength * away);
            }
            let [vx, vy, vz] = [vxs[i], vys[i], vzs[i]];
            let place = [xs[i] + time * vx, ys[i] + time * vy, zs[i] + time * vz];
            let pull = force.map(|part| time * masses[i] * part);
            [place[0], place[1], place[2], masses[i], vx + pull[0], vy + pull[1], vz + pull[2]]
        };
        Ok((0..xs.len()).into_par_iter().map(moved).collect::<Vec<_>>())
    })
}

pub fn ray(inputs: &[Value]) -> Made {
    let scene = spheres_of(inputs);
    let [rows, columns] = [8, 9].map(|at| inputs[at].i64s()[0]);
    let planes = |found: &Array2<[f32; 3]>| {
        let (rows, columns) = found.dim();
        let found = found.as_slice().unwrap_or_default();
        (0..3).map(|plane| Value::tabulate_f32(&[rows, columns], |i| found[i][plane])).collect()
    };
    Computed::peer(HAND, planes, move || {
        let mut picture = Array2::from_elem((rows as usize, columns as usize), [0.0; 3]);
        let scale = 2.0 / columns as f32;
        Zip::indexed(&mut picture).par_for_each(|(row, column), colour| {
            let right = (column as i64 - columns / 2) as f32 * scale;
            let up = (rows / 2 - row as i64) as f32 * scale;
            *colour = trace(&scene, V3 { x: right, y: up, z: 1.5 }.unit());
        });
        Ok(picture)
    })
}

impl Add for V3 {
    type Output = V3;

    fn add(self, other: V3) -> V3 {
        V3 { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for V3 {
    type Output = V3;

    fn sub(self, other: V3) -> V3 {
        self + other * -1.0
    }
}

impl Mul<f32> for V3 {
    type Output = V3;

    fn mul(self, by: f32) -> V3 {
        V3 { x: self.x * by, y: self.y * by, z: self.z * by }
    }
}

impl V3 {
    fn dot(self, other: V3) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn unit(self) -> V3 {
        self * (1.0 / self.dot(self).sqrt())
    }
}

const FAR: f32 = 1e9;

/// Computes the light that comes from a direction.
fn trace(scene: &[Sphere], mut towards: V3) -> [f32; 3] {
    let sun = V3 { x: 0.5, y: 0.8, z: -0.4 }.unit();
    let (mut from, mut light, mut gathered) =
        (V3 { x: 0.0, y: 1.0, z: -4.0 }, 1.0, V3 { x: 0.0, y: 0.0, z: 0.0 });
    for _ in 0..4 {
        if light <= 0.01 {
            break;
        }
        let hits = scene.iter().map(|sphere| (distance(sphere, from, towards), sphere));
        let (hit, sphere) =
            hits.fold((FAR, &scene[0]), |nearest, next| if next.0 < nearest.0 { next } else { nearest });
        let floor = if towards.y < -1e-4 { -from.y / towards.y } else { FAR };
        if hit.min(floor) >= FAR {
            gathered = gathered + V3 { x: 0.4, y: 0.6, z: 0.9 } * light;
            break;
        }
        from = from + towards * hit.min(floor);
        let (normal, own, shine) = if floor < hit {
            let tile = if (from.x.floor() + from.z.floor()) as i32 % 2 == 0 { 0.9 } else { 0.2 };
            (V3 { x: 0.0, y: 1.0, z: 0.0 }, V3 { x: tile, y: tile, z: tile }, 0.2)
        } else {
            ((from - sphere.centre) * (1.0 / sphere.radius), sphere.colour, sphere.shine)
        };
        gathered = gathered + own * (normal.dot(sun).max(0.1) * light * (1.0 - shine));
        towards = (towards - normal * (2.0 * normal.dot(towards))).unit();
        light *= shine;
    }
    [gathered.x, gathered.y, gathered.z]
}

/// Returns the distance along a ray at which a sphere is hit, or [`FAR`] if it is not.
fn distance(sphere: &Sphere, from: V3, towards: V3) -> f32 {
    let offset = from - sphere.centre;
    let half = offset.dot(towards);
    let inside = half * half - offset.dot(offset) + sphere.radius * sphere.radius;
    let near = -half - inside.max(0.0).sqrt();
    if inside > 0.0 && near > 1e-3 { near } else { FAR }
}

fn vector(elements: Option<&[f32]>) -> Value {
    let elements = elements.unwrap_or_default();
    Value::tabulate_f32(&[elements.len()], |i| elements[i])
}
