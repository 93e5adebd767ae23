//! The works in the language embedded in Rust.

use warpwise::{Acc, Array, Context, Elt, Exp, Matrix, Vector, generate, while_};

use super::{Computed, Made};
use crate::value::Value;

#[path = "../../../warpwise/examples/black_scholes.rs"]
#[allow(dead_code)]
mod options;
#[path = "../../../warpwise/examples/ray.rs"]
#[allow(dead_code)]
mod tracer;

pub(crate) use tracer::{Sphere, V3, spheres, trace_part};

const OURS: &str = "Warpwise in Rust";

pub fn black_scholes(context: &Context, inputs: &[Value]) -> Made {
    let function = context.compile(|xs: Acc<Vector<(f32, f32, f32)>>| options::prices(&xs)).map_err(words)?;
    let [prices, strikes, years] = [0, 1, 2].map(|at| inputs[at].f32s());
    let options = (0..prices.len()).map(|i| (prices[i], strikes[i], years[i])).collect();
    let options = Array::from_vec([prices.len()], options).map_err(words)?;
    let columns = |found: &Array<_, (f32, f32)>| {
        let found = found.to_vec();
        let of = |part: fn(&(f32, f32)) -> f32| Value::tabulate_f32(&[found.len()], |i| part(&found[i]));
        vec![of(|both| both.0), of(|both| both.1)]
    };
    Computed::peer(OURS, columns, move || function.run(&options).map_err(words))
}

pub fn mandelbrot(context: &Context, inputs: &[Value]) -> Made {
    let function = context
        .compile(
            |size: Exp<i64>, x: Exp<f32>, y: Exp<f32>, width: Exp<f32>, depth: Exp<i32>, radius: Exp<f32>| {
                escapes((Exp::constant(0), size), size, (x, y), width, (depth, radius * radius))
            },
        )
        .map_err(words)?;
    let size = i64::from(inputs[0].i32s()[0]);
    let [x, y, width, radius] = [2, 3, 4, 6].map(|at| inputs[at].f32s()[0]);
    let depth = inputs[5].i32s()[0];
    let columns = |found: &Array<_, i32>| {
        let [rows, columns] = found.extents();
        vec![Value::tabulate_i32(&[rows, columns], |i| found.as_slice()[i])]
    };
    Computed::peer(OURS, columns, move || function.run(size, x, y, width, depth, radius).map_err(words))
}

/// Computes the number of iterations after which each point of a square view escapes, for `count` rows from the first on.
pub fn escapes(
    (first, count): (Exp<i64>, Exp<i64>),
    size: Exp<i64>,
    (x, y): (Exp<f32>, Exp<f32>),
    width: Exp<f32>,
    (depth, limit): (Exp<i32>, Exp<f32>),
) -> Acc<Matrix<i32>> {
    let step = width / size.cast::<f32>();
    let (left, top) = (x - width / 2.0, y - width / 2.0);
    generate((count, size), move |(row, column)| {
        let (cx, cy) = (left + column.cast::<f32>() * step, top + (first + row).cast::<f32>() * step);
        let start = (Exp::constant(0_i32), Exp::constant(0.0_f32), Exp::constant(0.0_f32));
        let (rounds, _, _) = while_(
            start,
            |(rounds, x, y)| rounds.lt(depth) & (x * x + y * y).lt(limit),
            |(rounds, x, y)| (rounds + 1, x * x - y * y + cx, 2.0 * x * y + cy),
        );
        rounds
    })
}

#[derive(Clone, Copy, PartialEq, Debug, Elt)]
struct Body {
    place: [f32; 3],
    mass: f32,
    speed: [f32; 3],
}

pub fn nbody(context: &Context, inputs: &[Value]) -> Made {
    let function = context
        .compile(|bodies: Acc<Vector<Body>>, epsilon: Exp<f32>, time: Exp<f32>| step(&bodies, epsilon, time))
        .map_err(words)?;
    let [epsilon, time] = [1, 2].map(|at| inputs[at].f32s()[0]);
    let column = |at: usize, i: usize| inputs[at].f32s()[i];
    let body = |i| Body {
        place: [3, 4, 5].map(|at| column(at, i)),
        mass: column(6, i),
        speed: [7, 8, 9].map(|at| column(at, i)),
    };
    let count = inputs[3].count();
    let bodies = Array::from_vec([count], (0..count).map(body).collect()).map_err(words)?;
    let columns = |found: &Array<_, Body>| {
        let found = found.to_vec();
        let of =
            |part: &(dyn Fn(&Body) -> f32 + Sync)| Value::tabulate_f32(&[found.len()], |i| part(&found[i]));
        let places = (0..3).map(|axis| of(&|body| body.place[axis]));
        let speeds = (0..3).map(|axis| of(&|body| body.speed[axis]));
        places.chain([of(&|body| body.mass)]).chain(speeds).collect()
    };
    Computed::peer(OURS, columns, move || function.run(&bodies, epsilon, time).map_err(words))
}

fn step(bodies: &Acc<Vector<Body>>, epsilon: Exp<f32>, time: Exp<f32>) -> Acc<Vector<Body>> {
    let (count, all) = (bodies.size(), bodies.reader());
    let pulls = generate((count, count), move |(i, j)| {
        let (at, other) = (all.at(i).place, all.at(j));
        let away = [0, 1, 2].map(|axis| other.place[axis] - at[axis]);
        let distance = away[0] * away[0] + away[1] * away[1] + away[2] * away[2] + epsilon * epsilon;
        let inverse = distance.sqrt().recip();
        away.map(|part| part * (other.mass * inverse * inverse * inverse))
    });
    let forces = pulls.reduce([0.0_f32; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]]);
    bodies.zip_with(&forces, move |body, force| BodyExp {
        place: [0, 1, 2].map(|axis| body.place[axis] + body.speed[axis] * time),
        mass: body.mass,
        speed: [0, 1, 2].map(|axis| body.speed[axis] + force[axis] * body.mass * time),
    })
}

pub fn ray(context: &Context, inputs: &[Value]) -> Made {
    let function = context
        .compile(|scene: Acc<Vector<Sphere>>, rows: Exp<i64>, columns: Exp<i64>| {
            tracer::trace(&scene, rows, columns)
        })
        .map_err(words)?;
    let scene = spheres_of(inputs);
    let scene = Array::from_vec([scene.len()], scene).map_err(words)?;
    let [rows, columns] = [8, 9].map(|at| inputs[at].i64s()[0]);
    let planes = |found: &Array<_, [f32; 3]>| {
        let ([rows, columns], found) = (found.extents(), found.to_vec());
        (0..3).map(|plane| Value::tabulate_f32(&[rows, columns], |i| found[i][plane])).collect()
    };
    Computed::peer(OURS, planes, move || function.run(&scene, rows, columns).map_err(words))
}

/// Returns spheres in the form for C: columns of positions, radii, colours and shines.
pub fn columns_of(spheres: &[Sphere]) -> Vec<Value> {
    let parts: [fn(&Sphere) -> f32; 8] = [
        |s| s.centre.x,
        |s| s.centre.y,
        |s| s.centre.z,
        |s| s.radius,
        |s| s.colour.x,
        |s| s.colour.y,
        |s| s.colour.z,
        |s| s.shine,
    ];
    parts.map(|part| Value::tabulate_f32(&[spheres.len()], |i| part(&spheres[i]))).into()
}

/// Returns the spheres in such columns.
pub fn spheres_of(columns: &[Value]) -> Vec<Sphere> {
    let at = |column: usize, i: usize| columns[column].f32s()[i];
    let v3 = |first: usize, i: usize| V3 { x: at(first, i), y: at(first + 1, i), z: at(first + 2, i) };
    let sphere = |i| Sphere { centre: v3(0, i), radius: at(3, i), colour: v3(4, i), shine: at(7, i) };
    (0..columns[0].count()).map(sphere).collect()
}

pub fn words(error: warpwise::Error) -> String {
    error.to_string()
}
