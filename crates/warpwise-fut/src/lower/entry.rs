//! Entry points: functions that get their sizes from outside.
//!
//! ```text
//! entry main [n] (xs: [n]i32) (ys: [n + 1]i32)      becomes
//! entry main(n: i64, m: i64, xs: [n]i32, ys: [m]i32) { t = add n 1; ok = eq m t; c = assert ok ...; ys' = reshape ys [t] certs c; ... }
//! ```
//!
//! The driver checks that sizes, including constant ones, match the arrays. Sizes that are expressions are checked here.

use warpwise_diag::Failure;
use warpwise_ir::{
    EntryParam, EntryPoint, EntryResult, EntryType, Function, Operand, Param, ResultDecl, Type as CoreType,
    Var,
};
use warpwise_prim::CompareOp;

use crate::lower::context::{Lowering, Session, shape_parts, text};
use crate::lower::types::{Extent, Sizes};
use crate::lower::value::{Env, Frame, Value};
use crate::typed::tree::{Entry, Param as SourceParam};

impl<'a> Session<'a> {
    /// Makes the core function of an entry point.
    pub fn entry(&mut self, entry: &'a Entry) -> Result<(), Failure> {
        let name = self.input.names.text(entry.name).to_string();
        let span = self.program.defs[entry.def.index()].span;
        let unique = self.unique_name(&name.replace('\'', "_"));
        let function = Lowering::new(self, &unique, span).entry(entry, name)?;
        self.functions.push(function);
        Ok(())
    }
}

/// Marks the results with a unique component, which the function declares in order.
fn stars(types: Vec<EntryType>, declared: &[ResultDecl]) -> Vec<EntryResult> {
    let mut declared = declared.iter();
    let star = |ty: EntryType| {
        let leaves = ty.leaves();
        let components = declared.by_ref().take(leaves.len()).zip(&leaves);
        let unique = components.filter(|(result, (_, rank))| result.unique && *rank > 0).count() > 0;
        EntryResult { unique, ty }
    };
    types.into_iter().map(star).collect()
}

impl<'a> Lowering<'a, '_> {
    fn entry(mut self, entry: &'a Entry, name: String) -> Result<Function, Failure> {
        let source = &self.session.program.defs[entry.def.index()];
        let scheme = &source.function.scheme;
        if !scheme.types.is_empty() {
            let message = "an entry point that is polymorphic in types";
            return Err(self.limit(source.span, message));
        }
        let outer = Frame::root(Some(entry.def), self.session.input.unchecked);
        let mut sizes: Vec<Var> = Vec::new();
        for local in &scheme.sizes {
            let name = self.session.program.locals[local.index()].name;
            let var = self.code.fresh(self.session.input.names.text(name), CoreType::I64);
            self.code.mark_size(var.into());
            outer.bind(*local, Value::leaf(var));
            sizes.push(var);
        }
        let env = Frame::inside(&outer, false);
        let mut leaves = Vec::new();
        let mut params = Vec::new();
        for param in &source.function.params {
            let (open, value) = self.entry_param(param, &outer, &env)?;
            sizes.extend(open);
            let consumed = value.marks(&param.consumes);
            leaves.extend(self.arrays(&value)?.into_iter().zip(consumed));
            params.push((param, value));
        }
        let size_params = sizes.len();
        let sizes = sizes.into_iter().map(|var| Param { var, consumed: false });
        self.code.function.params =
            sizes.chain(leaves.into_iter().map(|(var, consumed)| Param { var, consumed })).collect();
        for (param, value) in &params {
            self.check_entry_param(param, value, &env)?;
        }
        let surface = entry.params.iter().zip(&params).map(|(surface, (param, _))| EntryParam {
            name: surface.name.map_or(String::new(), |name| self.session.input.names.text(name).to_string()),
            consumed: param.consumes.any(),
            ty: self.session.interface_type(&surface.ty),
        });
        let params = surface.collect();
        let (tuple, results) = self.session.interface_results(&entry.result);
        let declared = self.repr(&source.function.result.ty, &env, Sizes::Plain)?;
        let value = self.expr(&source.function.body, &env)?;
        let mut function = self.finish(entry.def, &declared, &value)?;
        let size_results = function.results.len() - value.leaves().len();
        let results = stars(results, &function.results[size_results..]);
        function.entry = Some(EntryPoint { name, size_params, params, size_results, tuple, results });
        Ok(function)
    }

    /// Creates variables for a parameter and for its sizes that are not size parameters. Such a size may equal another parameter,
    /// but the caller does not know that.
    fn entry_param(
        &mut self,
        param: &'a SourceParam,
        outer: &Env<'a>,
        env: &Env<'a>,
    ) -> Result<(Vec<Var>, Value<'a>), Failure> {
        let repr = self.repr(&param.pattern.ty, outer, Sizes::Plain)?;
        let (open, value) = self.fresh_result(&repr)?;
        self.bind_pattern(&param.pattern, &value, env)?;
        Ok((open, value))
    }

    /// Checks the sizes of a parameter that are expressions, and gives it these sizes.
    fn check_entry_param(
        &mut self,
        param: &'a SourceParam,
        value: &Value<'a>,
        env: &Env<'a>,
    ) -> Result<(), Failure> {
        let before = self.enter(param.pattern.span);
        let extents = self.extents_of(&param.pattern.ty, env, Sizes::All)?;
        let mut fits = Operand::bool(true);
        let mut expected = Vec::new();
        for (size, extent) in value.extents().into_iter().zip(&extents) {
            if let Extent::Known(extent) = extent {
                let same = self.code.compare(CompareOp::Eq, size, *extent);
                fits = self.code.and(fits, same);
                expected.push(*extent);
            }
        }
        let mut message = vec![text("Argument has an invalid size: its shape ")];
        message.extend(shape_parts(&value.extents()));
        message.push(text(" cannot match the parameter's shape "));
        message.extend(shape_parts(&expected));
        let certs = self.check(env, fits, message);
        let value = self.coerce(value, &extents, &certs);
        self.code.span = before;
        self.bind_pattern(&param.pattern, &value, env)
    }
}
