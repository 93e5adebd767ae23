//! Functions on parts of arrays: lifted to all parts, and inlined at their use.
//!
//! The function of one part is lowered separately, with its captured values as further parameters, and lifted
//! ([`warpwise_opt::flatten::chunk`]). Each part is folded separately, so rounding does not depend on the preceding parts.

use smallvec::SmallVec;
use warpwise_ir::builder::Builder;
use warpwise_ir::entity::Entity;
use warpwise_ir::{Expr, FunctionId, Operand};
use warpwise_opt::flatten::{Chunk, Folds, GivenAs, TakenAs, Varies, chunk};
use warpwise_prim::{BinaryOp, CompareOp};

use super::delayed::Delayed;
use super::{ArrayValue, Lowered, Lowering, Value, internal, lower_with_extents};
use crate::error::Error;
use crate::graph::{Ref, Ty};
use crate::seq::{PartsKind, PartsOf};

/// A source in the form that the lifted function takes.
struct Source {
    count: Operand,
    /// Extents of one part, or one array per extent with the extents of all parts.
    sizes: Vec<Operand>,
    /// For segments: the total and the array of starts.
    place: Option<(Operand, Operand)>,
    columns: Vec<Operand>,
}

impl Lowering<'_> {
    pub(super) fn parts(&mut self, node: &Ref, parts: &PartsOf) -> Result<Value, Error> {
        let mut sources = Vec::new();
        let mut inputs = node.inputs.iter();
        for (_, kind) in &parts.sources {
            let inputs: Vec<Ref> = inputs.by_ref().take(kind.inputs()).cloned().collect();
            sources.push(self.source(node, *kind, &inputs)?);
        }
        let first = sources.first().map(|source| source.count).unwrap_or(Operand::i64(0));
        for source in sources.iter_mut().skip(1) {
            self.check_count(node, source, first);
        }
        let chunk = lifted(parts)?;
        let arguments = self.arguments(node, parts, &chunk, first, &sources)?;
        let results = self.b.inline(&chunk.function, &arguments);
        self.given(node, parts, &chunk, first, &results[chunk.sizes.1..])
    }

    /// Checks that a source has `count` parts.
    fn check_count(&mut self, node: &Ref, source: &mut Source, count: Operand) {
        let holds = self.b.compare("same", CompareOp::Eq, source.count, count);
        let cert = self.check(node, holds, "different numbers of parts: {} {}", &[count, source.count]);
        for column in &mut source.columns {
            let Operand::Var(array) = *column else { continue };
            let mut shape = self.b.function.ty(array).shape().to_vec();
            if source.place.is_none() {
                shape[0] = count;
            }
            let same = Expr::Reshape { array, shape: shape.into() };
            *column = self.b.with_certs(&[cert], |b| b.bind_one("part", same)).into();
        }
    }

    fn source(&mut self, node: &Ref, kind: PartsKind, inputs: &[Ref]) -> Result<Source, Error> {
        let shape = self.computed(&inputs[0])?.shape;
        let columns = self.columns(&inputs[0])?;
        let columns: Vec<Operand> = columns.into_iter().map(|column| self.cut(column, &shape)).collect();
        let Some((&outer, inner)) = shape.split_first() else { return Err(internal(node, "no parts")) };
        match kind {
            PartsKind::Rows => Ok(Source { count: outer, sizes: inner.to_vec(), place: None, columns }),
            PartsKind::Segments => {
                let lengths = self.computed(&inputs[1])?.shape;
                let stored = |this: &mut Self, input: &Ref| -> Result<Operand, Error> {
                    let column = this.columns(input)?[0];
                    Ok(this.cut(column, &lengths))
                };
                let (sizes, starts) = (stored(self, &inputs[1])?, stored(self, &inputs[2])?);
                let (total, valid) = (self.scalars(&inputs[3])?[0], self.scalars(&inputs[4])?[0]);
                let whole = self.b.compare("whole", CompareOp::Eq, total, outer);
                let holds = self.b.binary("fit", BinaryOp::And, whole, valid);
                let cert =
                    self.check(node, holds, "segments that are not the whole vector: {} {}", &[total, outer]);
                let mut checked = Vec::new();
                for column in columns {
                    let Operand::Var(array) = column else { continue };
                    let shape = [total].into_iter().collect();
                    let same = Expr::Reshape { array, shape };
                    checked.push(self.b.with_certs(&[cert], |b| b.bind_one("data", same)).into());
                }
                let place = Some((total, starts));
                Ok(Source { count: lengths[0], sizes: vec![sizes], place, columns: checked })
            }
        }
    }

    /// Returns the arguments of the lifted function: assembled in the order of the function of one part, then permuted to the
    /// order of the lifted one.
    fn arguments(
        &mut self,
        node: &Ref,
        parts: &PartsOf,
        chunk: &Chunk,
        count: Operand,
        sources: &[Source],
    ) -> Result<Vec<Operand>, Error> {
        let mut plain = vec![count];
        let mut columns = Vec::new();
        for source in sources {
            plain.extend(&source.sizes);
            for &column in &source.columns {
                columns.extend(source.place.into_iter().flat_map(|(total, starts)| [total, starts]));
                columns.push(column);
            }
        }
        for captured in &parts.captured {
            match &captured.ty {
                Ty::Scalars(_) => columns.extend(self.scalars(captured)?),
                Ty::Arrays(_) => {
                    let Value::Arrays(arrays) = self.value(captured)? else {
                        return Err(internal(node, "no arrays"));
                    };
                    for array in &arrays {
                        plain.extend(&array.shape);
                    }
                    columns.extend(self.all_columns(captured)?);
                }
            }
        }
        plain.extend(columns);
        let expected = 1 + chunk
            .params
            .iter()
            .map(|taken| if *taken == TakenAs::Segments { 3 } else { 1 })
            .sum::<usize>();
        if plain.len() != expected || chunk.order.len() != expected {
            return Err(internal(node, "another number of arguments"));
        }
        Ok(chunk.order.iter().map(|&at| plain[at]).collect())
    }

    /// Converts the results of the lifted function to vectors.
    fn given(
        &mut self,
        node: &Ref,
        parts: &PartsOf,
        chunk: &Chunk,
        count: Operand,
        results: &[Operand],
    ) -> Result<Value, Error> {
        let mut results = results.iter().copied();
        let mut forms = chunk.results.iter();
        let mut next = |form: &mut dyn FnMut(GivenAs)| {
            let given = forms.next().copied().unwrap_or(GivenAs::Avoided);
            form(given);
            // The starts of segments follow from their extents.
            if given == GivenAs::Segments {
                results.next();
            }
            results.next().ok_or_else(|| internal(node, "a result is missing"))
        };
        let mut arrays = SmallVec::new();
        for ty in parts.results.iter().filter_map(|result| result.ty.array()) {
            for _ in 0..ty.rank {
                let mut form = GivenAs::Avoided;
                let extent = next(&mut |given| form = given)?;
                let shape: Vec<Operand> = vec![count];
                let column = match form {
                    GivenAs::Avoided => {
                        let all = Expr::Replicate { shape: shape.as_slice().into(), value: extent };
                        self.b.bind_one("extents", all).into()
                    }
                    GivenAs::Regular | GivenAs::Segments => extent,
                };
                arrays.push(ArrayValue { shape, elements: Delayed::Stored(vec![column]) });
            }
            let mut columns = Vec::new();
            for _ in &ty.components {
                columns.push(next(&mut |_| {})?);
            }
            arrays.push(self.as_vector(node, columns)?);
        }
        Ok(Value::Arrays(arrays))
    }

    /// Reshapes columns of any rank to the columns of one vector.
    fn as_vector(&mut self, node: &Ref, columns: Vec<Operand>) -> Result<ArrayValue, Error> {
        let mut shape: Vec<Operand> = Vec::new();
        let mut certs = Vec::new();
        let mut flat = Vec::new();
        for column in columns {
            let Operand::Var(array) = column else { return Err(internal(node, "a constant array")) };
            let extents = self.b.function.ty(array).shape().to_vec();
            if shape.is_empty() {
                let (size, fits) = self.elements(node, &extents);
                (shape, certs) = (vec![size], fits);
            }
            let same = extents == shape;
            let reshaped = Expr::Reshape { array, shape: shape.as_slice().into() };
            let flatten = |b: &mut Builder<'_>| b.bind_one("flat", reshaped).into();
            flat.push(if same { column } else { self.b.with_certs(&certs, flatten) });
        }
        Ok(ArrayValue { shape, elements: Delayed::Stored(flat) })
    }
}

/// Lowers and lifts the function of one part.
fn lifted(parts: &PartsOf) -> Result<Chunk, Error> {
    let params: Vec<Ref> =
        parts.sources.iter().map(|(param, _)| param.clone()).chain(parts.captured.clone()).collect();
    let Lowered { program, used } = lower_with_extents(&params, &parts.results)?;
    if !used.is_empty() {
        return Err(Error::Internal("an array of the host was not captured".to_string()));
    }
    let mut sizes = Vec::new();
    let mut columns = Vec::new();
    for (number, param) in params.iter().enumerate() {
        let is_part = number < parts.sources.len();
        let is_segment = is_part && parts.sources[number].1 == PartsKind::Segments;
        match &param.ty {
            Ty::Scalars(components) => columns.extend(components.iter().map(|_| true)),
            Ty::Arrays(arrays) => {
                for array in arrays {
                    sizes.extend(std::iter::repeat_n(!is_segment, array.rank));
                    columns.extend(array.components.iter().map(|_| !is_part));
                }
            }
        }
    }
    sizes.extend(columns);
    let varies: Vec<Varies> =
        sizes.into_iter().map(|common| if common { Varies::Never } else { Varies::Freely }).collect();
    chunk(&program, FunctionId::new(0), &varies, Folds::Apart, false)
        .map_err(|limit| Error::Limit(limit.message))
}
