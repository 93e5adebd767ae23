//! Dot and matrix products by the CBLAS functions of OpenBLAS, where the library is there, within programs that the
//! compiler does otherwise: `cargo run --release --example blas [SIZE]`.

use std::error::Error;
use std::sync::OnceLock;
use std::time::Instant;

use libloading::{Library, Symbol};
use warpwise::{Acc, All, Array, Context, DeviceKind, Matrix, Singleton, Vector, foreign};

type Dot = unsafe extern "C" fn(i32, *const f32, i32, *const f32, i32) -> f32;
type Product = unsafe extern "C" fn(
    i32,
    i32,
    i32,
    i32,
    i32,
    i32,
    f32,
    *const f32,
    i32,
    *const f32,
    i32,
    f32,
    *mut f32,
    i32,
);

/// `CblasRowMajor` and `CblasNoTrans`.
const ROW_MAJOR: i32 = 101;
const AS_IT_IS: i32 = 111;

/// OpenBLAS, loaded at first use.
fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let names = ["libopenblas.so.0", "libopenblas.so", "libcblas.so.3"];
    // SAFETY: loading OpenBLAS runs its set-up of threads, nothing else.
    LIBRARY.get_or_init(|| names.iter().find_map(|name| unsafe { Library::new(name) }.ok())).as_ref()
}

fn dot(xs: &Acc<Vector<f32>>, ys: &Acc<Vector<f32>>) -> Acc<Singleton<f32>> {
    let elsewhere = |(xs, ys): (Acc<Vector<f32>>, Acc<Vector<f32>>)| xs.zip_with(&ys, |x, y| x * y).sum();
    let arguments = (xs.clone(), ys.clone());
    let Some(library) = library() else { return elsewhere(arguments) };
    let native = |(xs, ys): (Vector<f32>, Vector<f32>)| {
        // SAFETY: the name and the type are those of the CBLAS standard.
        let dot: Symbol<'_, Dot> = unsafe { library.get(b"cblas_sdot") }?;
        let (xs, ys) = (xs.as_slice(), ys.as_slice());
        // SAFETY: both slices have at least so many elements.
        let sum = unsafe { dot(i32::try_from(xs.len().min(ys.len()))?, xs.as_ptr(), 1, ys.as_ptr(), 1) };
        Ok(Array::from_vec([], vec![sum])?)
    };
    foreign(DeviceKind::Cpu, "cblas_sdot", native, &arguments, elsewhere)
}

fn product(a: &Acc<Matrix<f32>>, b: &Acc<Matrix<f32>>) -> Acc<Matrix<f32>> {
    let elsewhere = |(a, b): (Acc<Matrix<f32>>, Acc<Matrix<f32>>)| {
        let ((n, _), (_, m)) = (a.extents(), b.extents());
        let (rows, columns) = (a.replicate((All, m, All)), b.transpose().replicate((n, All, All)));
        rows.zip_with(&columns, |x, y| x * y).sum()
    };
    let arguments = (a.clone(), b.clone());
    let Some(library) = library() else { return elsewhere(arguments) };
    let native = |(a, b): (Matrix<f32>, Matrix<f32>)| {
        // SAFETY: the name and the type are those of the CBLAS standard.
        let product: Symbol<'_, Product> = unsafe { library.get(b"cblas_sgemm") }?;
        let ([n, inner], [height, m]) = (a.extents(), b.extents());
        let mut result = vec![0.0; n * m];
        if !result.is_empty() && inner.min(height) > 0 {
            let [rows, columns, depth] =
                [i32::try_from(n)?, i32::try_from(m)?, i32::try_from(inner.min(height))?];
            let (stride_a, stride_b) = (i32::try_from(inner)?, columns);
            let (x, y, z) = (a.as_slice().as_ptr(), b.as_slice().as_ptr(), result.as_mut_ptr());
            // SAFETY: the matrices have these extents and strides.
            unsafe {
                product(
                    ROW_MAJOR, AS_IT_IS, AS_IT_IS, rows, columns, depth, 1.0, x, stride_a, y, stride_b, 0.0,
                    z, columns,
                );
            }
        }
        Ok(Array::from_vec([n, m], result)?)
    };
    foreign(DeviceKind::Cpu, "cblas_sgemm", native, &arguments, elsewhere)
}

fn matrix(n: usize, m: usize) -> Result<Matrix<f32>, warpwise::Error> {
    Array::from_vec([n, m], (0..n * m).map(|i| ((i * 7) % 13) as f32 - 6.0).collect())
}

/// Compares with plain loops; the numbers are small integers.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let dots = context.compile(|xs: Acc<Vector<f32>>| dot(&xs.map(|x| x + 1.0), &xs))?;
    let found = dots.run(&vec![1.0, 2.0, 3.0].try_into()?)?;
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

fn main() -> Result<(), Box<dyn Error>> {
    let size = std::env::args().nth(1).map_or(Ok(1000), |size| size.parse())?;
    let context = Context::new()?;
    check(&context)?;
    let function = context.compile(|a: Acc<Matrix<f32>>, b: Acc<Matrix<f32>>| product(&a, &b))?;
    let (a, b) = (matrix(size, size)?, matrix(size, size)?);
    function.run(&a, &b)?;
    let start = Instant::now();
    function.run(&a, &b)?;
    let by = if library().is_some() { "OpenBLAS" } else { "compiled code, for want of OpenBLAS" };
    println!("{size} by {size} in {:?} by {by}", start.elapsed());
    Ok(())
}
