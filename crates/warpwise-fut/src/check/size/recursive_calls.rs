//! Unnamed sizes of parameters in recursive calls.
//!
//! Each call of a definition in its own body has sizes of its own for all parameters. The unnamed ones are known only once the
//! body has been built: they are size parameters of the definition, or sizes that the body determines. Then every call has to
//! agree.
//!
//! ```text
//! def quick (xs: []f64) : []f64 = ... quick lo ++ quick hi                         -- at the sizes of `lo` and `hi`
//! def f (n: i64) (xs: []f64) : f64 = ... zip xs (iota n) ... f (n - 1) (init xs)   -- `xs` has the size `n`, `init xs` has `n - 1`
//! ```

use warpwise_diag::Diagnostic;

use crate::check::Checker;
use crate::check::size::DEEPEST;
use crate::check::size::apply::{is_expressible, simple_local};
use crate::check::size::unify::Solved;
use crate::check::type_exprs::Subst;
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::map::{Map, map_function, map_size};
use crate::typed::tree::{Expr, ExprKind, Function, Instance, Param};
use crate::typed::ty::{Size, Type};

/// The sizes given to a recursive call: the declared ones, then the unnamed ones.
struct Given {
    def: DefId,
    /// Unnamed sizes in the definition.
    unnamed: Vec<LocalId>,
    /// For each size parameter of the finished scheme, its index among the given sizes.
    places: Vec<(LocalId, Option<usize>)>,
    /// Number of declared sizes.
    n_declared: usize,
}

impl Checker<'_> {
    /// Requires that recursive calls agree with the sizes inferred for the parameters, and reorders their instances as in the
    /// scheme, which starts with the declared size parameters.
    pub fn settle_recursive_calls(&mut self, function: &mut Function, n_declared: usize) {
        let Some((def, unnamed)) = self.used_recursively() else { return };
        let unnamed = unnamed.to_vec();
        let known: Vec<Size> = unnamed.iter().map(|&local| self.resolve_size(&Size::Local(local))).collect();
        let place_of = |(index, &size): (usize, &LocalId)| {
            let unnamed =
                known.iter().position(|known| matches!(known, Size::Local(local) if *local == size));
            let place = if index < n_declared { Some(index) } else { unnamed.map(|at| n_declared + at) };
            (size, place)
        };
        let places = function.scheme.sizes.iter().enumerate().map(place_of).collect();
        let mut given = Given { def, unnamed, places, n_declared };
        if !given.unnamed.is_empty() {
            self.check_calls(&function.body, &given, &function.params);
        }
        map_function(function, &mut given);
    }

    fn check_calls(&mut self, expr: &Expr, given: &Given, params: &[Param]) {
        let mut arguments: Vec<&Expr> = Vec::new();
        let mut head = expr;
        while let ExprKind::Apply { function, arguments: last } = &head.kind {
            arguments.extend(last.iter().rev());
            head = function;
        }
        arguments.reverse();
        match &head.kind {
            ExprKind::Def { def, instance } if *def == given.def => {
                self.check_call(head, instance, given, params, &arguments);
                arguments.into_iter().for_each(|argument| self.check_calls(argument, given, params));
            }
            _ => expr.for_each_child(&mut |child| self.check_calls(child, given, params)),
        }
    }

    fn check_call(
        &mut self,
        head: &Expr,
        instance: &Instance,
        given: &Given,
        params: &[Param],
        arguments: &[&Expr],
    ) {
        let mut subst = Subst::default();
        for &(size, place) in &given.places {
            if let Some(place) = place {
                subst.sizes.insert(size, instance.sizes[place].clone());
            }
        }
        for (index, param) in params.iter().enumerate() {
            let Some(local) = simple_local(&param.pattern) else { continue };
            let argument = arguments.get(index).filter(|argument| is_expressible(argument));
            let size = match argument {
                Some(&argument) => argument.clone().into_size(),
                None => {
                    let unknown = self.new_size("_", head.span);
                    self.sizing.levels.insert(unknown, DEEPEST);
                    Size::Local(unknown)
                }
            };
            subst.sizes.insert(local, size);
        }
        for (&unnamed, found) in given.unnamed.iter().zip(&instance.sizes[given.n_declared..]) {
            let expected =
                map_size(&Size::Local(unnamed), &mut Solved { sizing: &self.sizing, subst: &subst });
            if self.unify_sizes(&expected, found).is_err() {
                let types =
                    [&expected, found].map(|size| self.solved(&Type::array(size.clone(), Type::unit())));
                let message = self.telling_apart(&[&types[0], &types[1]], |checker| {
                    let (expected, found) = (checker.show_unknown(&expected), checker.show_unknown(found));
                    format!(
                        "the sizes `{expected}` and `{found}` do not match: the body settles the size of a parameter, and this recursive call has another one"
                    )
                });
                let hint = "give the argument the size that the body needs, with `:>` where the two are always equal";
                return self.report(Diagnostic::error("E0301", head.span, message).hint(hint));
            }
        }
    }
}

impl Map for Given {
    fn local(&mut self, _: LocalId) -> Option<Size> {
        None
    }

    fn param(&mut self, _: TypeParamId) -> Option<Type> {
        None
    }

    fn instance(&mut self, def: DefId, instance: &mut Instance) {
        if def == self.def {
            let given = std::mem::take(&mut instance.sizes);
            let in_order = self.places.iter().map(|&(size, place)| match place {
                Some(place) => given[place].clone(),
                None => Size::Local(size),
            });
            instance.sizes = in_order.collect();
        }
    }
}
