//! Products on the processor, by a CBLAS library such as OpenBLAS.

use std::sync::OnceLock;

use libloading::{Library, Symbol};
use warpwise::{Acc, Array, DeviceKind, Matrix, Singleton, Vector, foreign};

use super::{Matrices, Vectors};

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

/// Returns OpenBLAS, loaded at first use, or a message about what is missing.
pub fn library() -> Result<&'static Library, String> {
    static LIBRARY: OnceLock<Option<Library>> = OnceLock::new();
    let names = ["libopenblas.so.0", "libopenblas.so", "libcblas.so.3"];
    // SAFETY: loading OpenBLAS only sets up its threads.
    let load = || names.iter().find_map(|name| unsafe { Library::new(name) }.ok());
    LIBRARY.get_or_init(load).as_ref().ok_or_else(|| format!("none of {} is here", names.join(", ")))
}

pub fn dot(
    arguments: &Vectors,
    elsewhere: impl FnOnce(Vectors) -> Acc<Singleton<f32>>,
) -> Acc<Singleton<f32>> {
    let Ok(library) = library() else { return elsewhere(arguments.clone()) };
    let native = |(xs, ys): (Vector<f32>, Vector<f32>)| {
        // SAFETY: the name and the type are those of the CBLAS standard.
        let dot: Symbol<'_, Dot> = unsafe { library.get(b"cblas_sdot") }?;
        let (xs, ys) = (xs.as_slice(), ys.as_slice());
        // SAFETY: both slices have at least this many elements.
        let sum = unsafe { dot(i32::try_from(xs.len().min(ys.len()))?, xs.as_ptr(), 1, ys.as_ptr(), 1) };
        Ok(Array::from_vec([], vec![sum])?)
    };
    foreign(DeviceKind::Cpu, "cblas_sdot", native, arguments, elsewhere)
}

pub fn product(
    arguments: &Matrices,
    elsewhere: impl FnOnce(Matrices) -> Acc<Matrix<f32>>,
) -> Acc<Matrix<f32>> {
    let Ok(library) = library() else { return elsewhere(arguments.clone()) };
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
    foreign(DeviceKind::Cpu, "cblas_sgemm", native, arguments, elsewhere)
}
