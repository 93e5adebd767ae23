//! Arrays that the caller of an entry point gives away.

use std::ops::Range;

use pyo3::prelude::*;
use warpwise_runtime::array::Value;
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::memory::MemoryPool;

use crate::copies;
use crate::numpy;
use crate::resident::refused;

/// An array that the caller gives away; see `consume`.
#[pyclass(frozen, module = "warpwise")]
pub struct Consumed {
    array: Py<PyAny>,
}

impl Consumed {
    /// Returns the array.
    pub fn array<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.array.bind(py).clone()
    }
}

/// Gives an array away: an entry point that consumes it may overwrite it in place. Its contents afterwards are unspecified.
///
/// Arrays that are read-only or not contiguous are copied all the same, and so are arrays that share memory with another argument of the
/// call. For a parameter that the entry point does not consume, `consume` changes nothing.
#[pyfunction]
pub fn consume(array: Py<PyAny>) -> Consumed {
    Consumed { array }
}

/// The arguments of a call that are given away.
#[derive(Default)]
pub struct Given {
    /// Numbers of their leaves.
    pub leaves: Vec<usize>,
    /// Numbers of the leaves, given away or not, that are tensors on the program's device, with the addresses of their elements.
    pub tensors: Vec<(usize, Range<u64>)>,
}

impl Given {
    /// Copies each array that is given away and shares memory with another leaf. The program may overwrite it before it has read the
    /// other.
    pub fn separate(&mut self, leaves: &mut [Placed], memory: &MemoryPool) -> PyResult<()> {
        for &at in &self.leaves {
            let Some(own) = self.extent(leaves, at) else { continue };
            let others = (0..leaves.len()).filter(|&other| other != at);
            let shares = |other: Range<u64>| own.start.max(other.start) < own.end.min(other.end);
            if others.filter_map(|other| self.extent(leaves, other)).any(shares) {
                leaves[at] = copied(&leaves[at], memory)?;
                self.tensors.retain(|(tensor, _)| *tensor != at);
            }
        }
        Ok(())
    }

    /// Returns the addresses of a leaf's elements, on the host or on the device; `None` if only programs know them.
    fn extent(&self, leaves: &[Placed], at: usize) -> Option<Range<u64>> {
        match &leaves[at] {
            Placed::Host(Value::Array { array, .. }) => {
                let bytes = array.bytes().as_ptr_range();
                Some(bytes.start as u64..bytes.end as u64)
            }
            Placed::Host(Value::Scalar { .. }) => None,
            Placed::Device(..) => {
                self.tensors.iter().find(|(tensor, _)| *tensor == at).map(|(_, extent)| extent.clone())
            }
        }
    }
}

fn copied(leaf: &Placed, memory: &MemoryPool) -> PyResult<Placed> {
    match leaf {
        Placed::Host(Value::Array { ty, array }) => {
            copies::note(array.bytes().len());
            Ok(Placed::Host(Value::array(*ty, numpy::copy(array, memory)?)))
        }
        Placed::Device(ty, array) => {
            copies::note(array.bytes() as usize);
            Ok(Placed::Device(*ty, array.copied().map_err(refused)?))
        }
        Placed::Host(Value::Scalar { .. }) => Ok(leaf.clone()),
    }
}
