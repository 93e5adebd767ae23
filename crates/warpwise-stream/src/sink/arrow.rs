//! Arrow IPC files and streams: columns of numbers or of fixed-length lists. A column without a name is called `value`.

use std::io::Write;
use std::sync::Arc;

use arrow_array::{RecordBatch, make_array};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;
use arrow_ipc::writer::{FileWriter, StreamWriter};
use arrow_schema::{ArrowError, DataType, Field, Schema};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Array;

use super::table::{Column, Table};
use super::{COLUMN, Flow};
use crate::element::ElementType;

/// A table that becomes an Arrow file or stream.
pub(super) struct ArrowTable<W: Write> {
    name: String,
    state: State<W>,
    schema: Arc<Schema>,
}

/// State of the writer.
enum State<W: Write> {
    /// Nothing is written yet; the flag tells whether the output becomes a stream, without a footer.
    Before(W, bool),
    File(FileWriter<W>),
    Stream(StreamWriter<W>),
    /// Writing has ended.
    After,
}

impl<W: Write + Send> ArrowTable<W> {
    /// Writes a file, whose footer contains the positions of its batches.
    pub(super) fn file(name: &str, output: W) -> ArrowTable<W> {
        ArrowTable::new(name, State::Before(output, false))
    }

    /// Writes a stream, for pipes.
    pub(super) fn stream(name: &str, output: W) -> ArrowTable<W> {
        ArrowTable::new(name, State::Before(output, true))
    }

    fn new(name: &str, state: State<W>) -> ArrowTable<W> {
        ArrowTable { name: name.to_string(), state, schema: Arc::new(Schema::empty()) }
    }
}

impl<W: Write + Send> Table for ArrowTable<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, columns: &[Column]) -> Result<(), String> {
        let field = |(name, element): &Column| {
            let name = if name.is_empty() { COLUMN } else { name };
            Ok(Field::new(name, data_type(element)?, false))
        };
        let fields = columns.iter().map(field).collect::<Result<Vec<_>, String>>()?;
        let schema = Arc::new(Schema::new(fields));
        self.state = match std::mem::replace(&mut self.state, State::After) {
            State::Before(output, false) => State::File(FileWriter::try_new(output, &schema).map_err(text)?),
            State::Before(output, true) => {
                State::Stream(StreamWriter::try_new(output, &schema).map_err(text)?)
            }
            begun => begun,
        };
        self.schema = schema;
        Ok(())
    }

    fn write(&mut self, columns: &[Array]) -> Result<Flow, String> {
        if columns.iter().any(Array::is_empty) {
            return Ok(Flow::More);
        }
        let fields = self.schema.fields().iter();
        let column = |(field, elements): (&Arc<Field>, &Array)| {
            Ok(make_array(data(field.data_type(), elements.len(), elements.bytes()).map_err(text)?))
        };
        let columns = fields.zip(columns).map(column).collect::<Result<Vec<_>, String>>()?;
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns).map_err(text)?;
        match &mut self.state {
            State::File(writer) => writer.write(&batch).map_err(text)?,
            State::Stream(writer) => writer.write(&batch).map_err(text)?,
            State::Before(..) | State::After => {}
        }
        Ok(Flow::More)
    }

    fn show(&mut self) -> Result<(), String> {
        match &mut self.state {
            State::Stream(writer) => writer.flush().map_err(text),
            State::File(_) | State::Before(..) | State::After => Ok(()),
        }
    }

    fn finish(&mut self) -> Result<(), String> {
        match std::mem::replace(&mut self.state, State::After) {
            State::File(mut writer) => writer.finish().and_then(|()| writer.flush()).map_err(text),
            State::Stream(mut writer) => writer.finish().and_then(|()| writer.flush()).map_err(text),
            State::Before(..) | State::After => Ok(()),
        }
    }
}

fn text(error: ArrowError) -> String {
    match error {
        ArrowError::IoError(_, error) => error.to_string(),
        error => error.to_string(),
    }
}

/// Makes an array of `count` numbers of this type.
fn data(ty: &DataType, count: usize, bytes: &[u8]) -> Result<ArrayData, ArrowError> {
    match ty {
        DataType::FixedSizeList(field, size) => {
            let inner = data(field.data_type(), count, bytes)?;
            let rows = inner.len() / (*size).max(1) as usize;
            ArrayData::builder(ty.clone()).len(rows).add_child_data(inner).build()
        }
        DataType::Boolean => {
            let bits = BooleanBuffer::collect_bool(count, |place| bytes[place] != 0);
            ArrayData::builder(ty.clone()).len(count).add_buffer(bits.into_inner()).build()
        }
        _ => ArrayData::builder(ty.clone()).len(count).add_buffer(Buffer::from(bytes)).build(),
    }
}

/// Returns Arrow's type of a scalar type.
pub fn scalar_type(scalar: ValueType) -> DataType {
    match scalar {
        ValueType::Bool => DataType::Boolean,
        ValueType::I8 => DataType::Int8,
        ValueType::I16 => DataType::Int16,
        ValueType::I32 => DataType::Int32,
        ValueType::I64 => DataType::Int64,
        ValueType::U8 => DataType::UInt8,
        ValueType::U16 => DataType::UInt16,
        ValueType::U32 => DataType::UInt32,
        ValueType::U64 => DataType::UInt64,
        ValueType::F16 => DataType::Float16,
        ValueType::F32 => DataType::Float32,
        ValueType::F64 => DataType::Float64,
    }
}

fn data_type(element: &ElementType) -> Result<DataType, String> {
    element.shape.iter().rev().try_fold(scalar_type(element.scalar), |inner, &size| {
        let size = i32::try_from(size).ok().filter(|&size| size > 0);
        let size = size.ok_or_else(|| format!("lists of elements of type {element} cannot be written"))?;
        Ok(DataType::FixedSizeList(Arc::new(Field::new("item", inner, false)), size))
    })
}
