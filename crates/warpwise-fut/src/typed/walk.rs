//! Visits of the subexpressions and locals of an expression.

use crate::typed::ids::LocalId;
use crate::typed::tree::{BindingKind, DimIndex, DimIndexKind, Expr, ExprKind, LoopForm};

impl Expr {
    /// Calls `visit` for every use of a local, including locals bound inside. Ignores sizes in types.
    pub fn for_each_local(&self, visit: &mut impl FnMut(LocalId)) {
        if let ExprKind::Local { local, .. } = &self.kind {
            visit(*local);
        }
        self.for_each_child(&mut |child| child.for_each_local(visit));
    }

    /// Whether this is an application written with the function between its operands. Those are evaluated from left to right,
    /// other arguments from right to left.
    pub fn is_infix(&self) -> bool {
        let ExprKind::Apply { function, arguments } = &self.kind else { return false };
        let [left, right] = &arguments[..] else { return false };
        let (left, between, right) = (left.span, function.span, right.span);
        left.file == between.file && left.end <= between.start && between.end <= right.start
    }

    /// Calls `visit` for every direct subexpression, in textual order.
    pub fn for_each_child(&self, visit: &mut dyn FnMut(&Expr)) {
        match &self.kind {
            ExprKind::Literal(..)
            | ExprKind::Bytes(_)
            | ExprKind::Hole
            | ExprKind::Local { .. }
            | ExprKind::Def { .. }
            | ExprKind::Intrinsic { .. } => {}
            ExprKind::Record(parts) | ExprKind::Array(parts) => parts.iter().for_each(visit),
            ExprKind::Construct { arguments, .. } => arguments.iter().for_each(visit),
            ExprKind::Match { scrutinee, cases } => {
                visit(scrutinee);
                cases.iter().for_each(|case| visit(&case.body));
            }
            ExprKind::Project { record, .. } => visit(record),
            ExprKind::Index { array, slice } => {
                visit(array);
                children_of_slice(slice, visit);
            }
            ExprKind::Update { array, slice, value } => {
                visit(array);
                children_of_slice(slice, visit);
                visit(value);
            }
            ExprKind::Assert { condition, body, .. } => {
                visit(condition);
                visit(body);
            }
            ExprKind::Lambda(lambda) => visit(&lambda.body),
            ExprKind::Apply { function, arguments } => {
                visit(function);
                arguments.iter().for_each(visit);
            }
            ExprKind::Range { start, second, end, .. } => {
                visit(start);
                second.iter().for_each(|second| visit(second));
                visit(end);
            }
            ExprKind::Let { bindings, body } => {
                for binding in bindings {
                    match &binding.kind {
                        BindingKind::Pattern { value, .. } => visit(value),
                        BindingKind::Function { function, .. } => visit(&function.body),
                    }
                }
                visit(body);
            }
            ExprKind::If { condition, then, otherwise } => {
                visit(condition);
                visit(then);
                visit(otherwise);
            }
            ExprKind::Loop(this) => {
                visit(&this.initial);
                match &this.form {
                    LoopForm::For { bound, .. } => visit(bound),
                    LoopForm::ForIn { array, .. } => visit(array),
                    LoopForm::While(condition) => visit(condition),
                }
                visit(&this.body);
            }
            ExprKind::Coerce(body)
            | ExprKind::Open { body, .. }
            | ExprKind::Attr { body, .. }
            | ExprKind::Tuned { default: body, .. } => visit(body),
        }
    }
}

fn children_of_slice(slice: &[DimIndex], visit: &mut dyn FnMut(&Expr)) {
    for index in slice {
        match &index.kind {
            DimIndexKind::Fix(index) => visit(index),
            DimIndexKind::Slice { start, end, stride } => {
                [start, end, stride].into_iter().flatten().for_each(&mut *visit);
            }
        }
    }
}
