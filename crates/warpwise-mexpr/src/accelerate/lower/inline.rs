//! `inlineFuthark "text"`: text of the array language in accelerated code.
//!
//! ```text
//! map (inlineFuthark "f64.sinh") s
//! ```
//! The type comes from the context. The text is an expression. A front end of the array language ([`ArrayLanguage`]) turns it
//! into a function in core IR that takes values of the arguments' types, and the function's body replaces the application of the
//! text. Integers are `i64`, floats `f64`, characters `i32`, sequences arrays, records records. The fields of records are in the
//! order of their names in the array language, and in the order of symbols here. Errors in the text are reported at their
//! positions in the program.

use warpwise_diag::{Failure, Limit, Span};
use warpwise_ir::{Expr as Ir, Function, Operand, Type, Var};
use warpwise_prim::ScalarType;

use crate::tree::{Expr, ExprKind};

use super::Lowerer;
use super::value::{Data, FunctionName, Layout, Shape, Value};

/// A front end of the array language.
pub trait ArrayLanguage {
    /// Returns a function that applies an expression to arguments; all types are text of the language. The function is an entry
    /// point whose sizes come first. It contains no calls, and all its positions are in the program, which has the text in the
    /// string at `span`.
    fn function(
        &self,
        text: &str,
        span: Span,
        parameters: &[String],
        result: &str,
    ) -> Result<Function, Failure>;
}

/// An absent array language: its text is refused.
#[derive(Clone, Copy, Debug)]
pub struct NoArrayLanguage;

impl ArrayLanguage for NoArrayLanguage {
    fn function(&self, _: &str, span: Span, _: &[String], _: &str) -> Result<Function, Failure> {
        let message = "text of the array language, where there is no front end for it".to_string();
        Err(Limit { message, span }.into())
    }
}

/// Text of the array language, with the types at its use.
#[derive(Clone, Debug)]
pub(super) struct Text {
    text: std::rc::Rc<str>,
    span: Span,
    parameters: Vec<Shape>,
    result: Shape,
}

impl Lowerer<'_, '_> {
    /// Lowers an application of text to further arguments; `None` for any other application.
    pub(super) fn array_language(
        &mut self,
        function: &Expr,
        arguments: &[Expr],
        at: &Expr,
    ) -> Result<Option<Value>, Failure> {
        let (ExprKind::Builtin(crate::builtins::Builtin::InlineFuthark), [text, rest @ ..]) =
            (&function.kind, arguments)
        else {
            return Ok(None);
        };
        let ExprKind::String(words) = &text.kind else {
            return self.refuse("text of the array language that is computed", text.span);
        };
        let mut parameters: Vec<Shape> = rest.iter().map(|argument| self.shape(argument)).collect();
        let mut result = self.shape(at);
        while let Shape::Arrow(from, to) = result {
            parameters.push(*from);
            result = *to;
        }
        let n_parameters = parameters.len();
        self.texts.push(Text { text: words.clone(), span: text.span, parameters, result });
        let name = FunctionName::Text(self.texts.len() - 1, n_parameters);
        let arguments = rest.iter().map(|argument| self.expr(argument)).collect::<Result<Vec<_>, _>>()?;
        if n_parameters == 0 {
            return self.text(self.texts.len() - 1, &[], at.span).map(|data| Some(Value::Data(data)));
        }
        let function =
            super::value::Function { name, with: std::rc::Rc::new(Vec::new()), arguments: Vec::new() };
        if arguments.is_empty() {
            return Ok(Some(Value::Function(function)));
        }
        self.apply(Value::Function(function), arguments, at).map(Some)
    }

    /// Lowers the text applied to all its arguments.
    pub(super) fn text(&mut self, text: usize, arguments: &[Value], span: Span) -> Result<Data, Failure> {
        let Text { text, span: at, parameters, result } = self.texts[text].clone();
        let types =
            parameters.iter().map(|shape| self.type_text(shape, at)).collect::<Result<Vec<_>, _>>()?;
        let result_type = self.type_text(&result, at)?;
        let function = self.functions.array_language.function(&text, at, &types, &result_type)?;
        let mut leaves = Vec::new();
        for (argument, shape) in arguments.iter().zip(&parameters) {
            let data = self.data(argument.clone(), span)?;
            leaves.extend(self.by_name(shape).into_iter().filter_map(|leaf| data.leaves.get(leaf).copied()));
        }
        let sizes = self.sizes(&function, &leaves);
        let all: Vec<Operand> = sizes.into_iter().chain(leaves).collect();
        if all.len() != function.params.len() {
            return self.refuse("values without a type in text of the array language", at);
        }
        let size_results = function.entry.as_ref().map_or(0, |entry| entry.size_results);
        let results = self.b.inline(&function, &all).split_off(size_results);
        let order = self.by_name(&result);
        if order.len() != results.len() {
            return self.refuse("a result of another form from text of the array language", at);
        }
        let mut leaves = results.clone();
        for (found, leaf) in results.into_iter().zip(order) {
            leaves[leaf] = found;
        }
        Ok(self.with_layout(&result, leaves))
    }

    /// Returns the size arguments of a function, taken from the arrays that are its arguments.
    fn sizes(&self, function: &Function, leaves: &[Operand]) -> Vec<Operand> {
        let n_sizes = function.entry.as_ref().map_or(0, |entry| entry.size_params);
        let (sizes, arrays) = function.params.split_at(n_sizes);
        let size_of = |size: Var| {
            arrays.iter().zip(leaves).find_map(|(array, leaf)| {
                let dim = function.ty(array.var).shape().iter().position(|own| *own == Operand::Var(size))?;
                self.b.function.operand_type(*leaf).shape().get(dim).copied()
            })
        };
        sizes.iter().filter_map(|size| size_of(size.var)).collect()
    }

    /// Makes a value from leaves; its lengths are those of the leaves' types.
    fn with_layout(&mut self, shape: &Shape, leaves: Vec<Operand>) -> Data {
        let types: Vec<Type> = leaves.iter().map(|leaf| self.b.function.operand_type(*leaf)).collect();
        let layout = layout_of(shape, &mut types.iter().peekable(), 0);
        let mut all = Vec::new();
        for ((leaf, own), wanted) in leaves.into_iter().zip(types).zip(layout.types()) {
            // Arrays of one sequence have equal length, even if different operands stand for it.
            all.push(match leaf.as_var() {
                Some(array) if own != wanted => {
                    let shape = wanted.shape().iter().copied().collect();
                    self.b.bind_one("x", Ir::Reshape { array, shape }).into()
                }
                _ => leaf,
            });
        }
        Data { layout, leaves: all }
    }

    /// Returns the positions of a value's leaves, in the order of the field names.
    fn by_name(&self, shape: &Shape) -> Vec<usize> {
        match shape {
            Shape::Scalar(_) => vec![0],
            Shape::Seq(element) => self.by_name(element),
            Shape::Record(fields) => {
                let mut own: Vec<_> = fields.iter().collect();
                own.sort_by_key(|(label, _)| *label);
                let mut start = 0;
                let mut named = Vec::new();
                for (label, shape) in own {
                    let leaves: Vec<usize> =
                        self.by_name(shape).into_iter().map(|leaf| start + leaf).collect();
                    start += leaves.len();
                    named.push((self.label(*label), leaves));
                }
                named.sort();
                named.into_iter().flat_map(|(_, leaves)| leaves).collect()
            }
            Shape::Arrow(..) | Shape::Tensor(_) | Shape::Unknown => Vec::new(),
        }
    }

    /// Returns a sort key of a label that sorts numbers by their value.
    fn label(&self, label: crate::syntax::names::Symbol) -> (Option<u32>, &str) {
        let text = self.checked.names.text(label);
        (text.parse().ok(), text)
    }

    /// Returns a type as text of the array language.
    fn type_text(&self, shape: &Shape, at: Span) -> Result<String, Failure> {
        Ok(match shape {
            Shape::Scalar(ScalarType::I64) => "i64".to_string(),
            Shape::Scalar(ScalarType::F64) => "f64".to_string(),
            Shape::Scalar(ScalarType::Bool) => "bool".to_string(),
            // A character: the only other scalar type.
            Shape::Scalar(_) => "i32".to_string(),
            Shape::Seq(element) => format!("[]{}", self.type_text(element, at)?),
            Shape::Record(fields) => {
                let mut all = fields
                    .iter()
                    .map(|(label, shape)| Ok((self.label(*label), self.type_text(shape, at)?)))
                    .collect::<Result<Vec<_>, Failure>>()?;
                all.sort();
                let is_tuple =
                    all.iter().enumerate().all(|(index, ((number, _), _))| *number == Some(index as u32));
                let parts: Vec<String> = all
                    .into_iter()
                    .map(|((_, name), ty)| if is_tuple { ty } else { format!("{name}: {ty}") })
                    .collect();
                if is_tuple { format!("({})", parts.join(", ")) } else { format!("{{{}}}", parts.join(", ")) }
            }
            Shape::Arrow(..) | Shape::Tensor(_) | Shape::Unknown => {
                return self.refuse(
                    "text of the array language whose type is not known, or has functions or tensors in it",
                    at,
                );
            }
        })
    }
}

/// Returns the layout of a value whose leaves have these types; the first `depth` dimensions come from surrounding sequences.
fn layout_of<'t>(
    shape: &Shape,
    types: &mut std::iter::Peekable<impl Iterator<Item = &'t Type>>,
    depth: usize,
) -> Layout {
    match shape {
        Shape::Scalar(ty) => {
            types.next();
            Layout::Scalar(*ty)
        }
        Shape::Record(fields) => {
            let mut own: Vec<_> = fields.iter().collect();
            own.sort_by_key(|(label, _)| *label);
            Layout::Record(
                own.into_iter().map(|(label, shape)| (*label, layout_of(shape, types, depth))).collect(),
            )
        }
        Shape::Seq(element) => {
            let length = types.peek().and_then(|ty| ty.shape().get(depth)).copied();
            let length = length.unwrap_or(Operand::i64(0));
            Layout::Seq(length, Box::new(layout_of(element, types, depth + 1)))
        }
        Shape::Arrow(..) | Shape::Tensor(_) | Shape::Unknown => Layout::Record(Vec::new()),
    }
}
