//! Choices and loops on scalars and arrays.

use warpwise_ir::{Body, Branch, Expr, LoopForm, LoopParam, Operand, Type, Var};

use super::delayed::Delayed;
use super::{ArrayValue, Lowering, Value, internal};
use crate::error::Error;
use crate::graph::{Node, Ref, Ty};

impl Lowering<'_> {
    pub(super) fn choose(&mut self, node: &Ref) -> Result<Value, Error> {
        let cond = self.scalars(&node.inputs[0])?[0];
        let sides = [self.plan.scope(node, 0), self.plan.scope(node, 1)];
        let nothing_to_do = sides.iter().flatten().all(|scope| self.plan.is_empty(*scope));
        if !node.is_array() && nothing_to_do {
            let (then, otherwise) = (self.scalars(&node.inputs[1])?, self.scalars(&node.inputs[2])?);
            let pairs = then.into_iter().zip(otherwise);
            return Ok(Value::Scalars(pairs.map(|(x, y)| self.b.select("x", cond, x, y)).collect()));
        }
        let then_body = self.side(&node.inputs[1], sides[0])?;
        let else_body = self.side(&node.inputs[2], sides[1])?;
        let chosen = Expr::If { cond, then_body, else_body, branch: Branch::Plain };
        let results = self.b.bind("x", chosen).into_iter().map(Operand::Var).collect::<Vec<Operand>>();
        self.rebuilt(node, &results)
    }

    fn side(&mut self, result: &Ref, scope: Option<super::plan::ScopeId>) -> Result<Body, Error> {
        self.body(|lowering| {
            if let Some(scope) = scope {
                lowering.scope(scope)?;
            }
            lowering.flat_values(result)
        })
    }

    /// Returns a value as operands: sizes, then components.
    fn flat_values(&mut self, node: &Node) -> Result<Vec<Operand>, Error> {
        let arrays = match self.value(node)? {
            Value::Scalars(operands) => return Ok(operands),
            Value::Arrays(arrays) => arrays,
        };
        let (mut sizes, mut columns) = (Vec::new(), Vec::new());
        for array in &arrays {
            sizes.extend_from_slice(&array.shape);
            for column in self.store(array)? {
                columns.push(self.cut(column, &array.shape));
            }
        }
        sizes.extend(columns);
        Ok(sizes)
    }

    /// Rebuilds a value from operands.
    fn rebuilt(&self, node: &Node, operands: &[Operand]) -> Result<Value, Error> {
        let Ty::Arrays(types) = &node.ty else { return Ok(Value::Scalars(operands.to_vec())) };
        let sizes: usize = types.iter().map(|array| array.rank).sum();
        let (mut shapes, mut columns) =
            operands.split_at_checked(sizes).ok_or_else(|| internal(node, "too few"))?;
        let mut arrays = smallvec::SmallVec::new();
        for array in types {
            let (own_shape, other_shapes) = shapes.split_at(array.rank);
            let (own, others) = columns.split_at(array.components.len());
            (shapes, columns) = (other_shapes, others);
            // Prefers the extents in the types of the arrays.
            let typed = own.first().map(|column| self.b.function.operand_type(*column).shape().to_vec());
            let shape = typed.filter(|typed| typed.len() == array.rank).unwrap_or_else(|| own_shape.to_vec());
            arrays.push(ArrayValue { shape, elements: Delayed::Stored(own.to_vec()) });
        }
        Ok(Value::Arrays(arrays))
    }

    pub(super) fn repeat(&mut self, node: &Ref) -> Result<Value, Error> {
        let first = self.flat_values(&node.inputs[0])?;
        let initial = self.rebuilt_from(node, &first)?;
        let goes_on = self.apply_scalar_to(node, 0, initial)?;
        let params = self.loop_params(node, &first);
        let operands: Vec<Operand> = params.iter().map(|param| (*param).into()).collect();
        let cond = self.b.function.fresh("goes_on", Type::BOOL);
        let body = self.body(|lowering| {
            let current = lowering.rebuilt_from(node, &operands)?;
            let next = lowering.apply(node, 1, vec![current])?;
            let next = match next {
                Value::Scalars(operands) => operands,
                Value::Arrays(_) => lowering.flat_values(&node.functions[1].result)?,
            };
            let value = lowering.rebuilt_from(node, &next)?;
            let goes_on = lowering.apply_scalar_to(node, 0, value)?;
            Ok([goes_on].into_iter().chain(next).collect())
        })?;
        let inits = [goes_on].into_iter().chain(first);
        let vars = [cond].into_iter().chain(params);
        let params: Vec<LoopParam> =
            vars.zip(inits).map(|(var, init)| LoopParam { var, init, consumed: false }).collect();
        let results = self.b.bind("x", Expr::Loop { params, form: LoopForm::While { cond }, body });
        let results: Vec<Operand> = results[1..].iter().map(|var| Operand::Var(*var)).collect();
        self.rebuilt(node, &results)
    }

    /// Makes new loop parameters: sizes, then arrays of these sizes, or scalars.
    fn loop_params(&mut self, node: &Node, first: &[Operand]) -> Vec<Var> {
        let Ty::Arrays(types) = &node.ty else {
            let types: Vec<Type> = first.iter().map(|x| self.b.function.operand_type(*x)).collect();
            return self.fresh("x", &types);
        };
        let mut params = Vec::new();
        for array in types {
            params.extend(self.fresh("n", &vec![Type::I64; array.rank]));
        }
        let mut sizes: std::vec::IntoIter<Var> = params.clone().into_iter();
        for array in types {
            let shape: Vec<Operand> = sizes.by_ref().take(array.rank).map(Operand::Var).collect();
            for ty in &array.components {
                let ty = Type::array(ty.scalar(), shape.iter().copied());
                params.push(self.b.function.fresh("xs", ty));
            }
        }
        params
    }

    /// Works like [`rebuilt`](Self::rebuilt) for operands other than results: the arrays have the given sizes.
    fn rebuilt_from(&self, node: &Node, operands: &[Operand]) -> Result<Value, Error> {
        let Ty::Arrays(types) = &node.ty else { return Ok(Value::Scalars(operands.to_vec())) };
        let sizes: usize = types.iter().map(|array| array.rank).sum();
        let (mut shapes, mut columns) =
            operands.split_at_checked(sizes).ok_or_else(|| internal(node, "too few"))?;
        let mut arrays = smallvec::SmallVec::new();
        for array in types {
            let (own_shape, other_shapes) = shapes.split_at(array.rank);
            let (own, others) = columns.split_at(array.components.len());
            (shapes, columns) = (other_shapes, others);
            arrays.push(ArrayValue { shape: own_shape.to_vec(), elements: Delayed::Stored(own.to_vec()) });
        }
        Ok(Value::Arrays(arrays))
    }

    fn apply_scalar_to(&mut self, node: &Ref, at: usize, argument: Value) -> Result<Operand, Error> {
        match self.apply(node, at, vec![argument])? {
            Value::Scalars(operands) if operands.len() == 1 => Ok(operands[0]),
            Value::Scalars(_) | Value::Arrays(_) => Err(internal(node, "no truth value")),
        }
    }
}
