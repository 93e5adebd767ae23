//! Streams: functions on chunks whose sizes the compiler chooses.
//!
//! ```text
//! stream_map f xs          stream_map n (xs..) accs () chunk (c, o, chunk..) { f c chunk }
//! stream_red op f ne xs    stream_red n (xs..) accs (ne..) combine {op} chunk (c, o, acc.., chunk..) { f c (copy acc) chunk }
//! stream_seq f ne xs       stream_seq n (xs..) accs (copy ne..) chunk (c, o, acc.., chunk..) { copy (f c acc chunk) }
//! ```
//!
//! The chunk function may overwrite its accumulator, and return one that is part of another value; hence the copies. Where
//! nothing is overwritten, [`copies`](crate::lower::copies) eliminates them.

use warpwise_diag::Failure;
use warpwise_ir::{Expr, Operand, Stream, StreamKind, Type, Var};

use crate::lower::context::Lowering;
use crate::lower::types::Extent;
use crate::lower::value::{Use, Value};

/// The parameters of a chunk function.
struct Chunk<'a> {
    size: Var,
    values: Value<'a>,
    params: Vec<Var>,
}

impl<'a> Lowering<'a, '_> {
    /// Lowers `stream_map f xs`.
    pub fn stream_map(
        &mut self,
        f: &Value<'a>,
        xs: &Value<'a>,
        arguments: &Use<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (width, element) = self.array(xs)?;
        let inputs = self.arrays(element)?;
        self.code.open();
        let chunk = self.chunk(element, None)?;
        let ys = self.apply(f.clone(), vec![Value::leaf(chunk.size), chunk.values])?;
        let ys = self.chunk_result(chunk.size, ys, arguments)?;
        let lambda = self.code.close_lambda(chunk.params, ys.leaves());
        let stream = Stream { kind: StreamKind::Map, width, inputs, accs: Vec::new(), lambda };
        let mut results = self.stream(stream).into_iter();
        let (_, row) = self.array(&ys)?;
        Ok(Value::Array(width, Box::new(row.with_leaves(&mut results))))
    }

    /// Lowers `stream_red op f ne xs` or, without an operator, `stream_seq f ne xs`.
    pub fn stream_folding(
        &mut self,
        op: Option<&Value<'a>>,
        f: &Value<'a>,
        ne: &Value<'a>,
        xs: &Value<'a>,
        arguments: &Use<'a>,
    ) -> Result<Value<'a>, Failure> {
        let (width, element) = self.array(xs)?;
        let inputs = self.arrays(element)?;
        let (kind, ne) = match op {
            Some(op) => (StreamKind::Red(self.operator(op, ne)?), ne.clone()),
            None => (StreamKind::Seq, self.copy(ne)),
        };
        self.code.open();
        let acc = ne.map_leaves(&mut |leaf| {
            let ty = self.code.ty(leaf);
            Operand::Var(self.code.fresh("acc", ty))
        });
        let chunk = self.chunk(element, Some(&acc))?;
        let acc = if op.is_some() { self.copy(&acc) } else { acc };
        let pair = self.apply(f.clone(), vec![Value::leaf(chunk.size), acc, chunk.values])?;
        let [acc, ys] = self.fields(&pair)? else { return Err(self.bug("no pair in a stream")) };
        let acc = if op.is_none() { self.copy(acc) } else { acc.clone() };
        let mut result = self.coerce(&acc, &ne.as_target(), &[]).leaves();
        let ys = self.chunk_result(chunk.size, ys.clone(), arguments)?;
        result.extend(ys.leaves());
        let lambda = self.code.close_lambda(chunk.params, result);
        let mut results = self.stream(Stream { kind, width, inputs, accs: ne.leaves(), lambda }).into_iter();
        let acc = ne.with_leaves(&mut results);
        let (_, row) = self.array(&ys)?;
        let ys = Value::Array(width, Box::new(row.with_leaves(&mut results)));
        Ok(Value::Record(vec![acc, ys]))
    }

    /// Creates the parameters for a chunk of arrays, after those of the accumulator.
    fn chunk(&mut self, element: &Value<'a>, acc: Option<&Value<'a>>) -> Result<Chunk<'a>, Failure> {
        let size = self.code.fresh("c", Type::I64);
        let offset = self.code.fresh("o", Type::I64);
        self.code.mark_size(size.into());
        let element = element.map_leaves(&mut |leaf| {
            let ty = self.code.ty(leaf).row(1).array_of(&[size.into()]);
            Operand::Var(self.code.fresh("chunk", ty))
        });
        let mut params = vec![size, offset];
        if let Some(acc) = acc {
            params.extend(self.arrays(acc)?);
        }
        params.extend(self.arrays(&element)?);
        Ok(Chunk { size, values: Value::Array(size.into(), Box::new(element)), params })
    }

    /// Returns the result of a chunk function for a chunk of this size, with row sizes that are known outside.
    fn chunk_result(&mut self, size: Var, ys: Value<'a>, arguments: &Use<'a>) -> Result<Value<'a>, Failure> {
        let (_, row) = self.array(&ys)?;
        self.demand_data(row)?;
        let extents = row.extents();
        let extents = self.settled_extents(extents, |this| this.type_argument_at(arguments, 1))?;
        let targets: Vec<Extent> = std::iter::once(Extent::Known(size.into())).chain(extents).collect();
        Ok(self.coerce(&ys, &targets, &[]))
    }

    fn stream(&mut self, stream: Stream) -> Vec<Operand> {
        let results = self.code.bind("", Expr::Stream(Box::new(stream)), &[]);
        results.into_iter().map(Operand::Var).collect()
    }
}
