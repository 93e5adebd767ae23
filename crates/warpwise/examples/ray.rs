//! Spheres over a chequered floor, with reflections, as a picture: `cargo run --release --example ray [FILE.png]`.

use std::error::Error;
use std::fs::File;
use std::io::BufWriter;
use std::ops::{Add, Mul, Sub};

use warpwise::{Acc, Array, Context, Elt, Exp, Matrix, Vector, cond, generate, while_};

/// A position, a direction or a colour.
#[derive(Clone, Copy, PartialEq, Debug, Elt)]
pub(crate) struct V3 {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) z: f32,
}

/// A sphere.
#[derive(Clone, Copy, PartialEq, Debug, Elt)]
pub(crate) struct Sphere {
    pub(crate) centre: V3,
    pub(crate) radius: f32,
    pub(crate) colour: V3,
    pub(crate) shine: f32,
}

/// A ray with its remaining light, and the light gathered so far.
#[derive(Clone, Copy, PartialEq, Debug, Elt)]
struct Ray {
    from: V3,
    towards: V3,
    light: f32,
    gathered: V3,
    bounces: i32,
}

const BOUNCES: i32 = 4;
const FAR: f32 = 1e9;

fn v3(
    x: impl warpwise::Operand<f32>,
    y: impl warpwise::Operand<f32>,
    z: impl warpwise::Operand<f32>,
) -> V3Exp {
    V3Exp { x: x.operand(), y: y.operand(), z: z.operand() }
}

impl Add for V3Exp {
    type Output = V3Exp;

    fn add(self, other: V3Exp) -> V3Exp {
        v3(self.x + other.x, self.y + other.y, self.z + other.z)
    }
}

impl Sub for V3Exp {
    type Output = V3Exp;

    fn sub(self, other: V3Exp) -> V3Exp {
        v3(self.x - other.x, self.y - other.y, self.z - other.z)
    }
}

impl Mul<Exp<f32>> for V3Exp {
    type Output = V3Exp;

    fn mul(self, by: Exp<f32>) -> V3Exp {
        v3(self.x * by, self.y * by, self.z * by)
    }
}

impl V3Exp {
    fn dot(self, other: V3Exp) -> Exp<f32> {
        self.x * other.x + self.y * other.y + self.z * other.z
    }

    fn unit(self) -> V3Exp {
        self * self.dot(self).sqrt().recip()
    }
}

/// Returns the distance at which a ray hits a sphere, if it does.
fn distance(sphere: SphereExp, from: V3Exp, towards: V3Exp) -> Exp<f32> {
    let offset = from - sphere.centre;
    let half = offset.dot(towards);
    let inside = half * half - offset.dot(offset) + sphere.radius * sphere.radius;
    let near = -half - inside.max(0.0).sqrt();
    cond(inside.gt(0.0) & near.gt(1e-3), near, FAR)
}

/// Renders the picture of these spheres, as colours between 0 and 1.
pub(crate) fn trace(
    spheres: &Acc<Vector<Sphere>>,
    rows: Exp<i64>,
    columns: Exp<i64>,
) -> Acc<Matrix<[f32; 3]>> {
    trace_part(spheres, (Exp::constant(0), rows), rows, columns)
}

/// Renders `count` rows of the picture, starting with row `first`.
pub(crate) fn trace_part(
    spheres: &Acc<Vector<Sphere>>,
    (first, count): (Exp<i64>, Exp<i64>),
    rows: Exp<i64>,
    columns: Exp<i64>,
) -> Acc<Matrix<[f32; 3]>> {
    let scene = spheres.reader();
    generate((count, columns), move |(row, column)| {
        let scale = 2.0 / columns.cast::<f32>();
        let right = (column - columns / 2).cast::<f32>() * scale;
        let up = (rows / 2 - (first + row)).cast::<f32>() * scale;
        let start = RayExp {
            from: v3(0.0, 1.0, -4.0),
            towards: v3(right, up, 1.5).unit(),
            light: Exp::constant(1.0),
            gathered: v3(0.0, 0.0, 0.0),
            bounces: Exp::constant(0),
        };
        let end = while_(
            start,
            |ray| ray.bounces.lt(BOUNCES) & ray.light.gt(0.01),
            |ray| {
                let none = (Exp::constant(FAR), Exp::constant(-1_i64)).into_pair();
                let (hit, which) = none.iterate(scene.extents(), |i, (nearest, which)| {
                    let here = distance(scene.at(i), ray.from, ray.towards);
                    (here.min(nearest), cond(here.lt(nearest), i, which))
                });
                let floor = cond(ray.towards.y.lt(-1e-4), -ray.from.y / ray.towards.y, FAR);
                let on_floor = floor.lt(hit);
                let place = ray.from + ray.towards * hit.min(floor);
                let sphere = scene.at(which.max(0));
                let chequered = (place.x.floor() + place.z.floor()).cast::<i32>().is_even();
                let tile = cond(chequered, 0.9_f32, 0.2);
                let normal = (place - sphere.centre) * sphere.radius.recip();
                let normal = V3Exp {
                    x: cond(on_floor, 0.0, normal.x),
                    y: cond(on_floor, 1.0, normal.y),
                    z: cond(on_floor, 0.0, normal.z),
                };
                let own: V3Exp = cond(on_floor, v3(tile, tile, tile), sphere.colour);
                let sun = v3(0.5, 0.8, -0.4).unit();
                let lit = own * normal.dot(sun).max(0.1);
                let sky = v3(0.4, 0.6, 0.9);
                let missed = hit.min(floor).ge(FAR);
                let shine = cond(on_floor, 0.2, sphere.shine);
                let share = cond(missed, ray.light, ray.light * (1.0 - shine));
                let seen: V3Exp = cond(missed, sky, lit);
                RayExp {
                    from: place,
                    towards: (ray.towards - normal * (2.0 * normal.dot(ray.towards))).unit(),
                    light: cond(missed, 0.0, ray.light * shine),
                    gathered: ray.gathered + seen * share,
                    bounces: ray.bounces + 1,
                }
            },
        );
        [end.gathered.x, end.gathered.y, end.gathered.z]
    })
}

/// Conversion of two expressions to one.
trait IntoPair<A: Elt, B: Elt> {
    fn into_pair(self) -> Exp<(A, B)>;
}

impl<A: Elt, B: Elt> IntoPair<A, B> for (Exp<A>, Exp<B>) {
    fn into_pair(self) -> Exp<(A, B)> {
        warpwise::IntoExp::into_exp(self)
    }
}

pub(crate) fn spheres() -> Vec<Sphere> {
    let sphere = |i: usize| {
        let angle = i as f32 * 1.1;
        let centre = V3 { x: 1.6 * angle.cos(), y: 0.6 + 0.2 * (i % 3) as f32, z: 1.6 * angle.sin() };
        let colour = V3 {
            x: 0.3 + 0.1 * (i % 7) as f32,
            y: 0.9 - 0.1 * (i % 5) as f32,
            z: 0.4 + 0.2 * (i % 3) as f32,
        };
        Sphere { centre, radius: 0.5, colour, shine: 0.4 }
    };
    (0..6).map(sphere).collect()
}

/// Checks that a view without spheres shows the floor below and the sky above, and that spheres change it.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let function = context.compile(|xs: Acc<Vector<Sphere>>, n: Exp<i64>, m: Exp<i64>| trace(&xs, n, m))?;
    let far = Sphere { centre: V3 { x: 0.0, y: 0.0, z: -100.0 }, ..spheres()[0] };
    let plain = function.run(&Array::from_vec([1], vec![far])?, 16, 16)?;
    let close = |a: [f32; 3], b: [f32; 3]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-3);
    assert!(plain.get([0, 8]).is_some_and(|sky| close(sky, [0.4, 0.6, 0.9])));
    assert!(plain.get([15, 8]).is_some_and(|floor| !close(floor, [0.4, 0.6, 0.9])));
    let full = function.run(&Array::from_vec([6], spheres())?, 16, 16)?;
    assert!(full != plain);
    assert!(full.to_vec().iter().flatten().all(|part| (0.0..=1.5).contains(part)));
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "ray.png".to_string());
    let function = Context::new()?.compile(|xs: Acc<Vector<Sphere>>, n: Exp<i64>, m: Exp<i64>| {
        trace(&xs, n, m).map(|colour| colour.map(|part| (part.clamp(0.0, 1.0).sqrt() * 255.0).cast::<u8>()))
    })?;
    let picture = function.run(&Array::from_vec([6], spheres())?, 600, 800)?;
    let mut encoder = png::Encoder::new(BufWriter::new(File::create(&path)?), 800, 600);
    encoder.set_color(png::ColorType::Rgb);
    encoder.write_header()?.write_image_data(&picture.to_vec().concat())?;
    println!("{path}: 800 by 600");
    Ok(())
}
