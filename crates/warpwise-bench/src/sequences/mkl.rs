//! Products of sparse matrices and vectors by Intel's library MKL, if it is available.

use std::ffi::{c_int, c_void};
use std::path::Path;
use std::rc::Rc;
use std::time::{Duration, Instant};

use libloading::Library;

use crate::peer::Peer;
use crate::value::Value;

/// The library, with the required functions.
pub struct Mkl {
    create: Create,
    optimize: unsafe extern "C" fn(*mut c_void) -> c_int,
    multiply: Multiply,
}

type Create = unsafe extern "C" fn(
    *mut *mut c_void,
    c_int,
    c_int,
    c_int,
    *const c_int,
    *const c_int,
    *const c_int,
    *const f64,
) -> c_int;
type Multiply =
    unsafe extern "C" fn(c_int, f64, *mut c_void, Description, *const f64, f64, *mut f64) -> c_int;

/// The description of a matrix: its kind, and two properties that only triangular and symmetric ones have.
#[repr(C)]
#[derive(Clone, Copy)]
struct Description {
    kind: c_int,
    mode: c_int,
    diagonal: c_int,
}

const GENERAL: Description = Description { kind: 20, mode: 0, diagonal: 0 };
const FROM_ZERO: c_int = 0;
const AS_IT_IS: c_int = 10;
const GNU_THREADS: c_int = 3;

/// A prepared product.
pub struct Product {
    mkl: Rc<Mkl>,
    matrix: *mut c_void,
    vector: Vec<f64>,
    result: Vec<f64>,
    /// The storage of the matrix.
    _starts: Vec<c_int>,
    _elements: (Vec<c_int>, Vec<f64>),
}

impl Mkl {
    /// Loads `libmkl_rt` from a file.
    pub fn load(path: &Path, threads: usize) -> Result<Mkl, String> {
        // SAFETY: MKL's start-up code has no effect that matters here.
        let library =
            unsafe { Library::new(path) }.map_err(|error| format!("{}: {error}", path.display()))?;
        // SAFETY: these are the types that MKL's header declares, with integers of 32 bits.
        let mkl = unsafe {
            let set = |name: &[u8]| {
                library.get::<unsafe extern "C" fn(c_int) -> c_int>(name).map_err(|error| error.to_string())
            };
            set(b"MKL_Set_Threading_Layer\0")?(GNU_THREADS);
            set(b"MKL_Set_Num_Threads\0")?(threads as c_int);
            Mkl {
                create: *library.get(b"mkl_sparse_d_create_csr\0").map_err(|error| error.to_string())?,
                optimize: *library.get(b"mkl_sparse_optimize\0").map_err(|error| error.to_string())?,
                multiply: *library.get(b"mkl_sparse_d_mv\0").map_err(|error| error.to_string())?,
            }
        };
        // MKL's threads keep running its code.
        std::mem::forget(library);
        Ok(mkl)
    }

    /// Prepares a product of a matrix, given by the starts of its rows and the columns and values of its elements, and lets MKL
    /// inspect it.
    pub fn product(self: &Rc<Mkl>, inputs: &[Value]) -> Result<Product, String> {
        let starts: Vec<c_int> = inputs[0].i64s().iter().map(|&start| start as c_int).collect();
        let elements = (inputs[1].i32s().to_vec(), inputs[2].f64s().to_vec());
        let vector = inputs[3].f64s().to_vec();
        let (rows, columns) = (starts.len() as c_int - 1, vector.len() as c_int);
        let mut matrix = std::ptr::null_mut();
        // SAFETY: the arrays have as many elements as the starts say, and live as long as the product does.
        let status = unsafe {
            let (starts, columns_of, values) = (starts.as_ptr(), elements.0.as_ptr(), elements.1.as_ptr());
            let created = (self.create)(
                &raw mut matrix,
                FROM_ZERO,
                rows,
                columns,
                starts,
                starts.add(1),
                columns_of,
                values,
            );
            if created == 0 { (self.optimize)(matrix) } else { created }
        };
        if status != 0 {
            return Err(format!("MKL refuses the matrix: {status}"));
        }
        let result = vec![0.0; rows as usize];
        Ok(Product { mkl: Rc::clone(self), matrix, vector, result, _starts: starts, _elements: elements })
    }
}

impl Peer for Product {
    fn name(&self) -> &str {
        "MKL"
    }

    fn run(&mut self) -> Result<Duration, String> {
        let start = Instant::now();
        // SAFETY: the matrix is the one created above, and the lengths of the vectors match its dimensions.
        let status = unsafe {
            let (vector, result) = (self.vector.as_ptr(), self.result.as_mut_ptr());
            (self.mkl.multiply)(AS_IT_IS, 1.0, self.matrix, GENERAL, vector, 0.0, result)
        };
        let time = start.elapsed();
        if status == 0 { Ok(time) } else { Err(format!("MKL fails: {status}")) }
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        Ok(vec![Value::tabulate_f64(&[self.result.len()], |i| self.result[i])])
    }
}
