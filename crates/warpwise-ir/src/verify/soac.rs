//! SOACs: the parameters and results of their lambdas.

use super::Checked;
use super::check::Checker;
use crate::expr::Lambda;
use crate::program::Var;
use crate::soac::{
    FlatMap, Hist, HistOp, Partition, Reduce, Scan, Scatter, ScatterDest, Screma, Stream, StreamKind,
    WithAcc, WithAccInput,
};
use crate::types::{AccType, Operand, Type};

impl<'a> Checker<'a, '_> {
    pub(super) fn screma(&mut self, screma: &'a Screma) -> Checked {
        let Screma { width, inputs, map, scans, reduces, post } = screma;
        let rows = self.rows(*width, inputs)?;
        let mut yields = Vec::new();
        self.lambda(
            "the map function",
            map,
            |_| rows,
            |this, values| {
                yields = this.types(values);
                Ok(())
            },
        )?;
        self.folds(scans, reduces, post.as_ref(), yields)
    }

    /// Checks that scans, reductions and the function after them fit the results of the map function or body.
    pub(super) fn folds(
        &mut self,
        scans: &'a [Scan],
        reduces: &'a [Reduce],
        post: Option<&'a Lambda>,
        yields: Vec<Type>,
    ) -> Checked {
        let mut rest = &yields[..];
        for Scan { op, neutral, exclusive: _ } in scans {
            rest = self.fold("a scan", op, neutral, rest)?;
        }
        let scanned = yields.len() - rest.len();
        for Reduce { op, neutral, commutative: _ } in reduces {
            rest = self.fold("a reduction", op, neutral, rest)?;
        }
        let elems = [&yields[..scanned], rest].concat();
        match post {
            Some(post) => self.lambda("the function after the scans", post, |_| elems, |_, _| Ok(())),
            None => Ok(()),
        }
    }

    /// Checks an operator against the values that it combines; returns the types of the values after them.
    fn fold<'t>(
        &mut self,
        what: &str,
        op: &'a Lambda,
        neutral: &[Operand],
        yields: &'t [Type],
    ) -> Result<&'t [Type], String> {
        let Some((folded, rest)) = yields.split_at_checked(neutral.len()) else {
            return Err(format!("{what} combines more values than there are"));
        };
        self.operator(what, op, neutral, folded, 0)?;
        Ok(rest)
    }

    /// Checks that an operator takes `indices` numbers, then two groups of values, and yields one group; and that its neutral
    /// element fits.
    fn operator(
        &mut self,
        what: &str,
        op: &'a Lambda,
        neutral: &[Operand],
        values: &[Type],
        indices: usize,
    ) -> Checked {
        self.types_match(&format!("the neutral element of {what}"), values, &self.types(neutral))?;
        let params = [&vec![Type::I64; indices][..], values, values].concat();
        self.lambda(
            &format!("the operator of {what}"),
            op,
            |_| params,
            |this, results| {
                this.types_match(&format!("the operator of {what}"), values, &this.types(results))
            },
        )
    }

    fn types_match(&self, what: &str, expected: &[Type], actual: &[Type]) -> Checked {
        if self.equal.same_types(expected, actual) {
            return Ok(());
        }
        let (expected, actual) = (self.show_all(expected), self.show_all(actual));
        Err(format!("{what} yields ({actual}), it must yield ({expected})"))
    }

    /// Returns the types of one element of each input.
    fn rows(&self, width: Operand, inputs: &[Var]) -> Result<Vec<Type>, String> {
        self.sizes(&[width])?;
        let row = |input: &Var| match self.ty(*input) {
            ty @ Type::Acc(_) => Ok(ty.clone()),
            ty @ Type::Array(array) if self.equal.same(array.shape[0], width) => Ok(ty.row(1)),
            ty @ (Type::Array(_) | Type::Scalar(_) | Type::Cert | Type::Mem) => {
                Err(format!("`{}` is a {}, not an array of that width", self.name(*input), self.show(ty)))
            }
        };
        inputs.iter().map(row).collect()
    }

    pub(super) fn partition(&mut self, partition: &'a Partition) -> Checked {
        let Partition { width, inputs, classes, lambda } = partition;
        let rows = self.rows(*width, inputs)?;
        self.lambda("the function", lambda, |_| rows, |this, values| this.partition_result(*classes, values))
    }

    /// Checks that the first `classes` values are truth values.
    pub(super) fn partition_result(&self, classes: usize, values: &[Operand]) -> Checked {
        if classes == 0 {
            return Err("a partition into no classes".to_string());
        }
        let Some(tests) = values.get(..classes) else { return Err("fewer results than classes".to_string()) };
        tests.iter().try_for_each(|test| self.expect("a test", *test, &Type::BOOL))
    }

    pub(super) fn scatter(&mut self, scatter: &'a Scatter) -> Checked {
        let Scatter { width, inputs, lambda, dests } = scatter;
        let rows = self.rows(*width, inputs)?;
        self.lambda(
            "the function",
            lambda,
            |_| rows,
            |this, values| {
                let expected = this.scatter_values(dests, values)?;
                this.types_match("the function", &expected, &this.types(values))
            },
        )
    }

    /// Returns the expected types: for each destination its indices and a value. Segments have the sizes of those in `yielded`.
    pub(super) fn scatter_values(
        &self,
        dests: &[ScatterDest],
        yielded: &[Operand],
    ) -> Result<Vec<Type>, String> {
        let mut values = Vec::new();
        if dests.iter().any(|dest| dest.segments != dests[0].segments) {
            return Err("some destinations take segments, and some do not".to_string());
        }
        for dest in dests {
            values.extend(std::iter::repeat_n(Type::I64, dest.rank));
            let element = self.element(dest.array, dest.rank)?;
            values.push(match yielded.get(values.len()) {
                Some(&value) if dest.segments => {
                    let found = self.function.operand_type(value).shape().first().copied();
                    element.array_of(&[found.unwrap_or(self.array(dest.array)?.shape[0])])
                }
                _ => element,
            });
        }
        Ok(values)
    }

    /// Returns the type of an array's element at `rank` leading indices.
    fn element(&self, array: Var, rank: usize) -> Result<Type, String> {
        let ty = self.array(array)?;
        if rank == 0 || rank > ty.shape.len() {
            return Err(format!("`{}` has no elements at {rank} indices", self.name(array)));
        }
        Ok(Type::array(ty.elem, ty.shape[rank..].iter().copied()))
    }

    pub(super) fn hist(&mut self, hist: &'a Hist) -> Checked {
        let Hist { width, inputs, lambda, ops } = hist;
        let rows = self.rows(*width, inputs)?;
        let expected = self.hist_ops(ops)?;
        self.lambda(
            "the function",
            lambda,
            |_| rows,
            |this, values| this.types_match("the function", &expected, &this.types(values)),
        )
    }

    /// Checks histogram operations; returns the types of their indices and values.
    pub(super) fn hist_ops(&mut self, ops: &'a [HistOp]) -> Result<Vec<Type>, String> {
        let mut expected = Vec::new();
        for HistOp { dests, rank, op, neutral } in ops {
            let elements: Result<Vec<Type>, String> =
                dests.iter().map(|dest| self.element(*dest, *rank)).collect();
            let elements = elements?;
            for dest in dests {
                let (shape, first) = (&self.array(*dest)?.shape, &self.array(dests[0])?.shape);
                if !self.equal.same_shape(&shape[..*rank], &first[..*rank]) {
                    return Err("the destinations of one operation differ in their sizes".to_string());
                }
            }
            self.operator("a histogram", op, neutral, &elements, 0)?;
            expected.extend(std::iter::repeat_n(Type::I64, *rank));
            expected.extend(elements);
        }
        Ok(expected)
    }

    pub(super) fn types_of_body_match(&self, expected: &[Type], values: &[Operand]) -> Checked {
        self.types_match("the body", expected, &self.types(values))
    }

    pub(super) fn stream(&mut self, stream: &'a Stream) -> Checked {
        let Stream { kind, width, inputs, accs, lambda } = stream;
        let rows = self.rows(*width, inputs)?;
        let acc_types = self.types(accs);
        match kind {
            StreamKind::Map if !accs.is_empty() => {
                return Err("a `stream_map` has no accumulators".to_string());
            }
            StreamKind::Map | StreamKind::Seq => {}
            StreamKind::Red(op) => self.operator("the stream", op, accs, &acc_types, 0)?,
        }
        let mut chunk = Operand::i64(0);
        let expected = |params: &[Var]| {
            chunk = params.first().map_or(chunk, |param| Operand::Var(*param));
            let chunks = rows
                .iter()
                .map(|row| if row.elem().is_some() { row.array_of(&[chunk]) } else { row.clone() });
            [Type::I64, Type::I64].into_iter().chain(acc_types.iter().cloned()).chain(chunks).collect()
        };
        let params = &lambda.params;
        self.lambda("the chunk function", lambda, expected, |this, values| {
            let types = this.types(values);
            let Some((first, rest)) = types.split_at_checked(accs.len()) else {
                return Err("the chunk function yields fewer values than accumulators".to_string());
            };
            this.types_match("the chunk function", &this.types(accs), first)?;
            let chunk = params.first().map_or(Operand::i64(0), |param| Operand::Var(*param));
            let fits = |ty: &Type| ty.shape().first().is_some_and(|size| this.equal.same(*size, chunk));
            match rest.iter().find(|ty| !fits(ty)) {
                None => Ok(()),
                Some(ty) => Err(format!("the chunk function yields a {}, no chunk", this.show(ty))),
            }
        })
    }

    pub(super) fn with_acc(&mut self, with_acc: &'a WithAcc) -> Checked {
        let WithAcc { inputs, lambda } = with_acc;
        let mut elems = Vec::new();
        for input in inputs {
            elems.push(self.with_acc_input(input)?);
        }
        let accs = |params: &[Var]| {
            let tokens = params.iter().take(inputs.len());
            let acc = |((token, input), elems): ((&Var, &WithAccInput), &Vec<Type>)| {
                Type::Acc(AccType { token: *token, shape: input.shape.clone(), elems: elems.clone() })
            };
            let accs: Vec<Type> = tokens.zip(inputs).zip(&elems).map(acc).collect();
            [vec![Type::Cert; inputs.len()], accs].concat()
        };
        let expected = accs(&lambda.params);
        self.lambda(
            "the function",
            lambda,
            |_| expected.clone(),
            |this, values| {
                let Some(values) = values.get(..inputs.len()) else {
                    return Err("the function does not yield its accumulators".to_string());
                };
                this.types_match("the function", &expected[inputs.len()..], &this.types(values))
            },
        )
    }

    /// Checks one input of a `with_acc`; returns the types of the values that its accumulator combines at one point.
    fn with_acc_input(&mut self, input: &'a WithAccInput) -> Result<Vec<Type>, String> {
        let WithAccInput { shape, arrays, op } = input;
        self.sizes(shape)?;
        let mut elems = Vec::new();
        for array in arrays {
            let ty = self.array(*array)?;
            if ty.shape.len() < shape.len() || !self.equal.same_shape(&ty.shape[..shape.len()], shape) {
                return Err(format!("`{}` has other sizes than its accumulator", self.name(*array)));
            }
            elems.push(Type::array(ty.elem, ty.shape[shape.len()..].iter().copied()));
        }
        if let Some((op, neutral)) = op {
            self.operator("the accumulator", op, neutral, &elems, shape.len())?;
        }
        Ok(elems)
    }

    pub(super) fn update_acc(&self, acc: Var, indices: &[Operand], values: &[Operand]) -> Checked {
        let Type::Acc(ty) = self.ty(acc) else {
            return Err(format!("`{}` is no accumulator", self.name(acc)));
        };
        if indices.len() != ty.shape.len() {
            return Err(format!("{} indices into {} dimensions", indices.len(), ty.shape.len()));
        }
        indices.iter().try_for_each(|index| self.i64("an index", *index))?;
        if !self.equal.same_types(&ty.elems, &self.types(values)) {
            let expected = self.show_all(&ty.elems);
            return Err(format!("the accumulator takes ({expected})"));
        }
        Ok(())
    }

    pub(super) fn flat_map(&mut self, flat_map: &'a FlatMap) -> Checked {
        let FlatMap { width, inputs, results, lambda } = flat_map;
        let rows = self.rows(*width, inputs)?;
        results.iter().try_for_each(|ty| self.type_is_well_formed(ty))?;
        self.lambda(
            "the function",
            lambda,
            |_| rows,
            |this, values| {
                let Some((size, rest)) = values.split_first() else {
                    return Err("the function yields no size".to_string());
                };
                this.i64("the size", *size)?;
                for (i, row) in results.iter().enumerate() {
                    let value =
                        rest.get(i).ok_or("the function yields fewer arrays than there are results")?;
                    this.expect("an array", *value, &row.array_of(&[*size]))?;
                }
                Ok(())
            },
        )
    }
}
