//! Types, sizes and patterns as source text, for messages.

use std::fmt::Write;

use rustc_hash::FxHashSet;

use crate::check::Checker;
use crate::check::infer::ty::{Constraint, Node, Ty};
use crate::check::operators::PrimSet;
use crate::check::size::unify::Locals;
use crate::syntax::ast::Literal;
use crate::syntax::session::Symbol;
use crate::typed::ids::{DefId, LocalId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::map::map_type;
use crate::typed::tree::{DimIndexKind, Expr, ExprKind};
use crate::typed::ty::{ArrowType, Size, Type, TypeArg, Uniqueness};

/// Maximum depth of types that are shown; deeper parts are an ellipsis.
const DEPTH: usize = 12;

impl Checker<'_> {
    /// Shows a type without sizes; arrays as `[]t`.
    pub fn show_ty(&mut self, ty: Ty) -> String {
        self.show_unsized(ty, DEPTH)
    }

    fn show_unsized(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 {
            return "...".to_string();
        }
        if let Some(name) = self.abbreviated(ty) {
            return name.to_string();
        }
        match self.infer.types.node(ty) {
            Node::Prim(prim) => prim.name().to_string(),
            Node::Param(param) => self.text(self.program.type_params[param.index()].name).to_string(),
            Node::Abstract(id, args) => {
                let mut text = self.text(self.program.abstracts[id.index()].name).to_string();
                for &arg in args.iter() {
                    let arg = self.show_unsized(arg, depth - 1);
                    let _ = write!(text, " {}", atom(arg));
                }
                text
            }
            Node::Array(element) => format!("[]{}", atom(self.show_unsized(element, depth - 1))),
            Node::Record(names, tys) => {
                let parts: Vec<String> = tys.iter().map(|&ty| self.show_unsized(ty, depth - 1)).collect();
                self.show_fields(&names, parts)
            }
            Node::Sum(sum) => {
                let constructors = sum.iter().map(|(name, payload)| {
                    let payload = payload.iter().map(|&ty| self.show_unsized(ty, depth - 1)).collect();
                    self.show_constructor(*name, payload)
                });
                constructors.collect::<Vec<_>>().join(" | ")
            }
            Node::Arrow(argument, result) => {
                let argument = self.show_unsized(argument, depth - 1);
                let result = self.show_unsized(result, depth - 1);
                format!(
                    "{} -> {result}",
                    if argument.contains("->") { format!("({argument})") } else { argument }
                )
            }
            Node::Var(var) => match &var.constraint {
                Constraint::Free | Constraint::Comparable => "_".to_string(),
                Constraint::OneOf(set) => format!("<{}>", set.describe()),
                Constraint::Fields(fields) => {
                    let names: Vec<&str> = fields.iter().map(|field| self.text(field.0)).collect();
                    format!("{{{}, ...}}", names.join(", "))
                }
                Constraint::Constructors(sum) => {
                    let names: Vec<String> = sum.iter().map(|c| format!("#{}", self.text(c.0))).collect();
                    format!("{} | ...", names.join(" | "))
                }
            },
            Node::Link(_) | Node::Error => "_".to_string(),
        }
    }

    /// Shows a pattern for a record.
    pub fn show_record_pattern(&self, names: &[Symbol], parts: &[String]) -> String {
        let is_tuple = names.len() != 1
            && names.iter().enumerate().all(|(index, &name)| self.text(name) == index.to_string());
        if is_tuple {
            return format!("({})", parts.join(", "));
        }
        let fields = names.iter().zip(parts).map(|(&name, part)| format!("{} = {part}", self.text(name)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    fn show_constructor(&self, name: Symbol, payload: Vec<String>) -> String {
        let name = format!("#{}", self.text(name));
        payload.into_iter().fold(name, |text, part| format!("{text} {}", atom(part)))
    }

    fn show_fields(&self, names: &[Symbol], parts: Vec<String>) -> String {
        let is_tuple = names.len() != 1
            && names.iter().enumerate().all(|(index, &name)| self.text(name) == index.to_string());
        if is_tuple {
            return format!("({})", parts.join(", "));
        }
        let fields = names.iter().zip(parts).map(|(&name, part)| format!("{}: {part}", self.text(name)));
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    /// Shows a type with sizes.
    pub fn show_type(&self, ty: &Type) -> String {
        self.show_sized(ty, &Uniqueness::No, DEPTH)
    }

    fn show_sized(&self, ty: &Type, unique: &Uniqueness, depth: usize) -> String {
        if depth == 0 {
            return "...".to_string();
        }
        let star = if *unique == Uniqueness::Yes { "*" } else { "" };
        if let (Some(name), true) =
            (self.abbreviated_type(ty), matches!(unique, Uniqueness::No | Uniqueness::Yes))
        {
            return format!("{star}{name}");
        }
        match ty {
            Type::Prim(prim) => prim.name().to_string(),
            Type::Param(param) => {
                format!("{star}{}", self.text(self.program.type_params[param.index()].name))
            }
            Type::Abstract(id, args) => {
                let mut text = format!("{star}{}", self.text(self.program.abstracts[id.index()].name));
                for arg in args.iter() {
                    let arg = match arg {
                        TypeArg::Size(size) => format!("[{}]", self.show_size(size)),
                        TypeArg::Type(ty) => atom(self.show_sized(ty, &Uniqueness::No, depth - 1)),
                    };
                    let _ = write!(text, " {arg}");
                }
                text
            }
            Type::Array(array) => {
                let element = self.show_sized(&array.element, &Uniqueness::No, depth - 1);
                format!("{star}[{}]{}", self.show_size(&array.size), atom(element))
            }
            Type::Record(fields) => {
                let names: Vec<Symbol> = fields.iter().map(|field| field.name).collect();
                let parts = fields.iter().enumerate();
                let parts = parts.map(|(i, field)| self.show_sized(&field.ty, &unique.field(i), depth - 1));
                self.show_fields(&names, parts.collect())
            }
            Type::Sum(constructors) => {
                let mut parts = 0;
                let constructors = constructors.iter().map(|constructor| {
                    let payload = constructor.payload.iter().map(|ty| {
                        parts += 1;
                        self.show_sized(ty, &unique.field(parts - 1), depth - 1)
                    });
                    let payload = payload.collect();
                    self.show_constructor(constructor.name, payload)
                });
                constructors.collect::<Vec<_>>().join(" | ")
            }
            Type::Arrow(arrow) => self.show_arrow(arrow, depth),
        }
    }

    fn show_arrow(&self, arrow: &ArrowType, depth: usize) -> String {
        let argument = self.show_sized(&arrow.argument, &arrow.consumes, depth - 1);
        let argument = match arrow.param {
            Some(param) => format!("({}: {argument})", self.show_local(param)),
            None if argument.contains("->") => format!("({argument})"),
            None => argument,
        };
        let result = self.show_sized(&arrow.result.ty, &arrow.result.unique, depth - 1);
        if arrow.result.exists.is_empty() {
            return format!("{argument} -> {result}");
        }
        let exists = arrow.result.exists.iter().map(|&size| format!("[{}]", self.show_local(size)));
        format!("{argument} -> ?{}.{result}", exists.collect::<String>())
    }

    /// Runs `show` with distinct names for the distinct sizes of some types: `k` and `k1` if both are named `k`.
    pub fn telling_apart<T>(&mut self, types: &[&Type], show: impl FnOnce(&mut Self) -> T) -> T {
        let mut locals = Locals::default();
        types.iter().for_each(|ty| drop(map_type(ty, &mut locals)));
        let mut names: Vec<String> = Vec::new();
        let mut seen = FxHashSet::default();
        for local in locals.0 {
            let own = self.show_local(local).to_string();
            if own.is_empty() || !seen.insert(local) {
                continue;
            }
            let mut name = own.clone();
            let mut number = 0;
            while names.contains(&name) {
                number += 1;
                name = format!("{own}{number}");
            }
            if name != own {
                self.told_apart.insert(local, name.clone());
            }
            names.push(name);
        }
        let shown = show(self);
        self.told_apart.clear();
        shown
    }

    /// Returns the name of a local.
    pub fn show_local(&self, local: LocalId) -> &str {
        if let Some(name) = self.told_apart.get(&local) {
            return name;
        }
        match self.program.locals.get(local.index()) {
            Some(local) => self.text(local.name),
            None => "",
        }
    }

    /// Shows a size; an unknown size as the empty string.
    pub fn show_size(&self, size: &Size) -> String {
        match self.resolve_size(size) {
            Size::Const(value) => value.to_string(),
            Size::Local(local) => self.show_local(local).to_string(),
            Size::Def(def) => self.show_def(def),
            Size::Expr(expr) => self.show_expr(&expr, 6),
        }
    }

    /// Returns the name of a definition. The one being checked has no id yet.
    fn show_def(&self, def: DefId) -> String {
        match self.program.defs.get(def.index()) {
            Some(def) => def.name.clone(),
            None => self.checking.last().map_or("", |&name| self.text(name)).to_string(),
        }
    }

    /// Shows a size; an unknown size as an underscore.
    pub fn show_unknown(&self, size: &Size) -> String {
        let text = self.show_size(size);
        if text.is_empty() { "_".to_string() } else { text }
    }

    /// Shows an expression in a size.
    fn show_expr(&self, expr: &Expr, depth: usize) -> String {
        if depth == 0 {
            return "...".to_string();
        }
        let show = |expr: &Expr| self.show_expr(expr, depth - 1);
        match &expr.kind {
            ExprKind::Literal(_, literal) => show_literal(literal),
            ExprKind::Local { local, .. } => self.show_unknown(&Size::Local(*local)),
            ExprKind::Def { def, .. } => self.show_def(*def),
            ExprKind::Intrinsic { intrinsic, .. } => show_intrinsic(*intrinsic).to_string(),
            ExprKind::Project { record, field } => {
                format!("{}.{}", show(record), self.show_field(&record.ty, *field))
            }
            ExprKind::Apply { function, arguments } => match (&function.kind, &arguments[..]) {
                (ExprKind::Intrinsic { intrinsic, .. }, [left, right]) => {
                    format!("{} {} {}", operand(show(left)), show_intrinsic(*intrinsic), operand(show(right)))
                }
                _ => {
                    let arguments: Vec<String> = arguments.iter().map(|arg| operand(show(arg))).collect();
                    format!("{} {}", show(function), arguments.join(" "))
                }
            },
            ExprKind::Index { array, slice } => {
                let parts = slice.iter().map(|index| match &index.kind {
                    DimIndexKind::Fix(index) => show(index),
                    DimIndexKind::Slice { .. } => ":".to_string(),
                });
                format!("{}[{}]", show(array), parts.collect::<Vec<_>>().join(", "))
            }
            ExprKind::Hole => "???".to_string(),
            ExprKind::Bytes(_)
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::Construct { .. }
            | ExprKind::Match { .. }
            | ExprKind::Update { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Lambda(_)
            | ExprKind::Range { .. }
            | ExprKind::Let { .. }
            | ExprKind::If { .. }
            | ExprKind::Loop(_)
            | ExprKind::Coerce(_)
            | ExprKind::Open { .. }
            | ExprKind::Attr { .. }
            | ExprKind::Tuned { .. } => "...".to_string(),
        }
    }

    fn show_field(&self, record: &Type, field: usize) -> String {
        match record {
            Type::Record(fields) => {
                fields.get(field).map_or(String::new(), |f| self.text(f.name).to_string())
            }
            Type::Prim(_)
            | Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Sum(_)
            | Type::Arrow(_) => String::new(),
        }
    }

    /// Describes a set of scalar types.
    pub fn show_set(&self, set: PrimSet) -> &'static str {
        set.describe()
    }
}

/// Returns the symbol of an intrinsic.
fn show_intrinsic(intrinsic: Intrinsic) -> &'static str {
    use warpwise_prim::BinaryOp;
    match intrinsic {
        Intrinsic::Structural(structural) => structural.name(),
        Intrinsic::Unary(op, _) => op.mnemonic(),
        Intrinsic::Binary(BinaryOp::Add, _) => "+",
        Intrinsic::Binary(BinaryOp::Sub, _) => "-",
        Intrinsic::Binary(BinaryOp::Mul, _) => "*",
        Intrinsic::Binary(BinaryOp::SDiv, _) => "/",
        Intrinsic::Binary(BinaryOp::SMod, _) => "%",
        Intrinsic::Binary(BinaryOp::Pow, _) => "**",
        Intrinsic::Binary(op, _) => op.mnemonic(),
        Intrinsic::Ternary(op, _) => op.mnemonic(),
        Intrinsic::Compare { op, .. } => op.mnemonic(),
        Intrinsic::Convert { op, .. } => op.mnemonic(),
        Intrinsic::Equal { .. } => "==",
    }
}

/// Shows a literal without its type suffix.
pub fn show_literal(literal: &Literal) -> String {
    match literal {
        Literal::Bool(value) => value.to_string(),
        Literal::Int(value) => value.to_string(),
        Literal::Float(value) => value.to_string(),
        Literal::Char(value) => format!("{value:?}"),
        Literal::I8(value) => value.to_string(),
        Literal::I16(value) => value.to_string(),
        Literal::I32(value) => value.to_string(),
        Literal::I64(value) => value.to_string(),
        Literal::U8(value) => value.to_string(),
        Literal::U16(value) => value.to_string(),
        Literal::U32(value) => value.to_string(),
        Literal::U64(value) => value.to_string(),
        Literal::F16(value) => value.to_string(),
        Literal::F32(value) => value.to_string(),
        Literal::F64(value) => value.to_string(),
    }
}

/// Adds parentheses where the text would be ambiguous after `[n]`.
fn atom(text: String) -> String {
    let bare = text.starts_with('(') || text.starts_with('{') || text.starts_with('[') || !text.contains(' ');
    if bare && !text.contains("->") { text } else { format!("({text})") }
}

/// Adds parentheses where the text would be ambiguous beside an operator.
fn operand(text: String) -> String {
    if text.contains(' ') { format!("({text})") } else { text }
}
