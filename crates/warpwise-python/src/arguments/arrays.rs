//! Arrays of scalars among the arguments: NumPy's, lists, and those of other libraries, on the host or on a device.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyInt, PyList, PyRange, PyTuple};
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::device::array::Placed;

use super::{ArrayType, Place, Taker};
use crate::arrow::{Lent, NotTaken, is_arrow, is_frame, is_table};
use crate::copies;
use crate::dlpack::Device;
use crate::dlpack::take::Lent as Tensor;
use crate::numpy::{self, Seen, dtype_name, seen};
use crate::resident::{self, DeviceArray};

impl Taker<'_> {
    /// Takes an array of scalars.
    pub(super) fn array(
        &mut self,
        ty: ArrayType,
        object: &Bound<'_, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<()> {
        let taken = match seen(object) {
            Some(array) => {
                self.refuse_masked(object, place)?;
                self.numpys(ty, array, place)?
            }
            None => match object.cast::<DeviceArray>() {
                Ok(there) => return self.resident(ty, there.get(), place),
                Err(_) if is_arrow(object) && !(ty.rank == 2 && is_frame(object)) => {
                    self.arrow(ty, object, place)?
                }
                Err(_) if self.is_near(object)? => return self.tensor(ty, object, place),
                Err(_) => self.numpys(ty, self.as_array(ty, object, place)?, place)?,
            },
        };
        if self.consumed && taken.data().is_part() {
            copies::note(taken.bytes().len());
        }
        self.leaves.push(Placed::Host(Value::array(ty.element, taken)));
        Ok(())
    }

    /// Takes an array that lies on a device.
    fn resident(&mut self, ty: ArrayType, there: &DeviceArray, place: &Place<'_>) -> PyResult<()> {
        let (element, shape) = there.kind();
        if element != ty.element || shape.len() != ty.rank {
            let found = there.describe();
            return Err(PyTypeError::new_err(format!("{}: expected {ty}, found {found}", self.words(place))));
        }
        self.leaves.push(there.placed(self.code.device(), &self.running.context)?);
        Ok(())
    }

    /// Returns whether `object` is a tensor in the memory of the CUDA device that the program runs on.
    fn is_near(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let own = Device::of(self.code.device());
        Ok(own.is_cuda() && Device::elsewhere(object)? == Some(own))
    }

    /// Takes a tensor of another library, on the program's device.
    fn tensor(&mut self, ty: ArrayType, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<()> {
        let device = self.code.device();
        let in_place = |error: PyErr| {
            let words = error.value(object.py()).to_string();
            PyValueError::new_err(format!("{}: expected {ty}: {words}", self.words(place)))
        };
        let tensor = Tensor::of(object, Device::of(device)).map_err(in_place)?;
        if tensor.element() != Some(ty.element) || tensor.shape().len() != ty.rank {
            let dtype = object.getattr("dtype").map(|dtype| dtype.to_string());
            let element = tensor.element().map(|element| dtype_name(element).to_string());
            let (element, shape) = (element.or(dtype.ok()), numpy::shape_text(tensor.shape()));
            return Err(PyTypeError::new_err(format!(
                "{}: expected {ty}, found {} array of shape {shape} on {device}",
                self.words(place),
                element.unwrap_or_else(|| "an unknown".to_string()),
            )));
        }
        let extent = tensor.extent(ty.element);
        let context = &self.running.context;
        let placed =
            resident::taken(ty.element, tensor, self.given_away, device, context).map_err(in_place)?;
        self.given.tensors.push((self.leaves.len(), extent));
        self.leaves.push(placed);
        Ok(())
    }

    /// Refuses a NumPy array with masked elements.
    pub(super) fn refuse_masked(&self, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<()> {
        if !numpy::is_masked(object)? {
            return Ok(());
        }
        Err(PyValueError::new_err(format!(
            "{}: an element is masked; fill masked elements first (`.filled(0)`) or drop them (`.compressed()`)",
            self.words(place)
        )))
    }

    fn numpys(&self, ty: ArrayType, array: Seen<'_>, place: &Place<'_>) -> PyResult<Array> {
        if array.element != Some(ty.element) || array.shape.len() != ty.rank {
            return Err(self.other_array(ty, &array, remedy(ty, &array), place));
        }
        array.take(ty.element, self.given_away, self.memory())
    }

    fn arrow(&self, ty: ArrayType, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<Array> {
        Lent::of(object)?.take(ty.element, ty.rank, self.memory()).map_err(|not_taken| match not_taken {
            NotTaken::Type(found) => PyTypeError::new_err(format!(
                "{}: expected {ty}, found an Arrow array of {found}; {}",
                self.words(place),
                if is_table(object) { "pass a column, or `.to_numpy()`" } else { "cast it" }
            )),
            NotTaken::Null(row) => PyValueError::new_err(format!(
                "{}: element {row} is null, or holds a null; fill nulls first (`.fill_null(0)`, in pandas `.fillna(0)`) or drop them",
                self.words(place)
            )),
            NotTaken::Other(error) => error,
        })
    }

    /// Has NumPy make an array of an object that is none: other libraries' arrays, buffers, lists of numbers.
    fn as_array<'py>(
        &self,
        ty: ArrayType,
        object: &Bound<'py, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<Seen<'py>> {
        let py = object.py();
        let numpy = numpy::module(py)?;
        let is_list = object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
            || object.is_instance_of::<PyRange>();
        let is_tensor = object.hasattr("__dlpack__").unwrap_or(false);
        if is_tensor && let Some(device) = Device::elsewhere(object)? {
            return Err(PyTypeError::new_err(format!(
                "{}: the array lies on a device ({device}), where this program does not run; bring it to the CPU first (`.cpu()` of \
                 PyTorch, `.get()` of CuPy)",
                self.words(place)
            )));
        }
        let in_place = |error: PyErr| {
            let text = format!("{}: expected {ty}: {}", self.words(place), error.value(py));
            match error.is_instance_of::<PyOverflowError>(py) {
                true => PyOverflowError::new_err(text),
                false => PyValueError::new_err(text),
            }
        };
        let array = if object.is_instance_of::<PyBytes>() {
            // NumPy takes them for a text.
            numpy.call_method1("frombuffer", (object, "uint8"))
        } else if is_list || numpy::is_array_like(object) {
            numpy.call_method1("asarray", (object,))
        } else if is_tensor {
            numpy.call_method1("from_dlpack", (object,))
        } else {
            return Err(self.mismatch(&ty.to_string(), object, place));
        };
        let array = array.map_err(in_place)?;
        let found = seen(&array).ok_or_else(|| self.mismatch(&ty.to_string(), object, place))?;
        if !is_list || found.element == Some(ty.element) {
            return Ok(found);
        }
        if !found.is_empty() && !self.fits(ty, &found, object)? {
            return Err(self.other_array(ty, &found, remedy_of_list(ty, &found), place));
        }
        let array = numpy.call_method1("array", (object, dtype_name(ty.element))).map_err(in_place)?;
        copies::note(found.bytes(ty.element).unwrap_or(0));
        seen(&array).ok_or_else(|| self.mismatch(&ty.to_string(), object, place))
    }

    /// Returns whether the elements of a list are elements of arrays of this type. Numbers in lists have no element type of their own;
    /// they only are whole or not.
    fn fits(&self, ty: ArrayType, found: &Seen<'_>, list: &Bound<'_, PyAny>) -> PyResult<bool> {
        match found.element {
            Some(ValueType::Bool) => Ok(ty.element == ValueType::Bool),
            Some(element) if element.scalar().is_int() => Ok(ty.element != ValueType::Bool),
            Some(_) => Ok(ty.element.scalar().is_float()),
            // NumPy has no integers of more than 64 bits.
            None if ty.element.scalar().is_int() && ty.element != ValueType::Bool => {
                list.try_iter()?.try_fold(true, |all, item| Ok(all && item?.is_exact_instance_of::<PyInt>()))
            }
            None => Ok(false),
        }
    }

    fn other_array(&self, ty: ArrayType, array: &Seen<'_>, remedy: String, place: &Place<'_>) -> PyErr {
        let found = array.describe();
        let article = if found.starts_with(['i', 'o']) { "an" } else { "a" };
        PyTypeError::new_err(format!(
            "{}: expected {ty}, found {article} {found}; {remedy}",
            self.words(place)
        ))
    }
}

/// Says what to do about an array that is not of this type.
fn remedy(ty: ArrayType, found: &Seen<'_>) -> String {
    if found.shape.len() != ty.rank {
        let dimensions =
            if ty.rank == 1 { "1 dimension".to_string() } else { format!("{} dimensions", ty.rank) };
        return format!("an array of {dimensions} is needed");
    }
    if found.is_complex() {
        return "there are no complex numbers: pass `.real` and `.imag`".to_string();
    }
    format!("convert it: .astype(\"{}\")", dtype_name(ty.element))
}

/// Says what to do about a list that is no array of this type.
fn remedy_of_list(ty: ArrayType, found: &Seen<'_>) -> String {
    match ty.element {
        _ if found.shape.len() != ty.rank => remedy(ty, found),
        ValueType::Bool => "truth values are needed".to_string(),
        element if element.scalar().is_int() => "whole numbers are needed".to_string(),
        _ => "real numbers are needed".to_string(),
    }
}
