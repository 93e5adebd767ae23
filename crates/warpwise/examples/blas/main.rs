//! Dot and matrix products by libraries, where available, within programs that are otherwise compiled:
//! `cargo run --release --features cuda --example blas [SIZE [cuda]]`.
//!
//! On the processor OpenBLAS is called on the arrays in place, on a CUDA device cuBLAS on arrays in its memory; each library is
//! looked up at run time. On other devices, and where the library is missing, the language's own definition is compiled.

mod cblas;
mod cublas;

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, All, Array, Context, DeviceKind, Matrix, Singleton, Vector};

type Vectors = (Acc<Vector<f32>>, Acc<Vector<f32>>);
type Matrices = (Acc<Matrix<f32>>, Acc<Matrix<f32>>);

fn dot(xs: &Acc<Vector<f32>>, ys: &Acc<Vector<f32>>) -> Acc<Singleton<f32>> {
    let elsewhere = |(xs, ys): Vectors| xs.zip_with(&ys, |x, y| x * y).sum();
    cublas::dot(&(xs.clone(), ys.clone()), |arguments| cblas::dot(&arguments, elsewhere))
}

fn product(a: &Acc<Matrix<f32>>, b: &Acc<Matrix<f32>>) -> Acc<Matrix<f32>> {
    let elsewhere = |(a, b): Matrices| {
        let ((n, _), (_, m)) = (a.extents(), b.extents());
        let (rows, columns) = (a.replicate((All, m, All)), b.transpose().replicate((n, All, All)));
        rows.zip_with(&columns, |x, y| x * y).sum()
    };
    cublas::product(&(a.clone(), b.clone()), |arguments| cblas::product(&arguments, elsewhere))
}

fn matrix(n: usize, m: usize) -> Result<Matrix<f32>, warpwise::Error> {
    Array::from_vec([n, m], (0..n * m).map(|i| ((i * 7) % 13) as f32 - 6.0).collect())
}

/// Compares with plain loops; the numbers are small integers.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let dots = context.compile(|xs: Acc<Vector<f32>>| dot(&xs.map(|x| x + 1.0), &xs))?;
    let found = dots.run(&vec![1.0, 2.0, 3.0].into())?;
    assert_eq!(found.to_vec(), [20.0]);
    let function =
        context.compile(|a: Acc<Matrix<f32>>, b: Acc<Matrix<f32>>| product(&a, &b).map(|x| x + 0.5))?;
    for (n, m, k) in [(3, 4, 5), (1, 7, 1), (2, 0, 3), (0, 2, 2)] {
        let (a, b) = (matrix(n, m)?, matrix(m, k)?);
        let found = function.run(&a, &b)?;
        assert_eq!(found.extents(), [n, k]);
        for (place, found) in found.to_vec().into_iter().enumerate() {
            let (i, j) = (place / k, place % k);
            let sum: f32 = (0..m).filter_map(|l| Some(a.get([i, l])? * b.get([l, j])?)).sum();
            assert_eq!(found, sum + 0.5);
        }
    }
    Ok(())
}

/// Returns the name of the library that computes products on a kind of device.
fn library(device: DeviceKind) -> String {
    let found = match device {
        DeviceKind::Cpu => cblas::library().map(|_| "OpenBLAS"),
        DeviceKind::Cuda => cublas::library().map(|_| "cuBLAS"),
        _ => Err("there is no library for this device".to_string()),
    };
    found.map_or_else(|missing| format!("compiled code ({missing})"), str::to_string)
}

fn main() -> Result<(), Box<dyn Error>> {
    let size = std::env::args().nth(1).map_or(Ok(1000), |size| size.parse())?;
    let context = match std::env::args().nth(2).as_deref() {
        None => Context::new()?,
        #[cfg(feature = "cuda")]
        Some("cuda") => Context::cuda(0)?,
        Some(other) => return Err(format!("no such device: {other}").into()),
    };
    check(&context)?;
    let function = context.compile(|a: Acc<Matrix<f32>>, b: Acc<Matrix<f32>>| product(&a, &b))?;
    let (a, b) = (matrix(size, size)?, matrix(size, size)?);
    function.run(&a, &b)?;
    let start = Instant::now();
    function.run(&a, &b)?;
    println!("{size} by {size} in {:?} by {}", start.elapsed(), library(context.kind()));
    Ok(())
}
