//! Tree to source text, with parentheses wherever they could matter.
//!
//! What is printed parses back to an equal tree: that is how the parser is tested, and how a later phase
//! shows what it holds. It is no formatter: comments are gone, and lines are as long as they get.

use crate::syntax::ast::{
    Attr, AttrKind, Decl, DeclKind, DimIndex, DimIndexKind, Doc, Expr, ExprKind, Ident, LetBinding, LetKind,
    Liftedness, Literal, LoopExpr, LoopForm, ModuleExpr, ModuleExprKind, ModuleParam, ModuleTypeExpr,
    ModuleTypeExprKind, Pat, PatKind, PathStep, Program, QualName, RangeBound, SizeExpr, Spec, SpecKind,
    TypeArg, TypeDecl, TypeExpr, TypeExprKind, TypeParam, TypeParamKind, ValueDecl,
};
use crate::syntax::session::Interner;

/// The text of a file.
pub fn print_program(program: &Program, names: &Interner) -> String {
    let mut printer = Printer { names, out: String::new() };
    if let Some(doc) = &program.doc {
        printer.doc(doc);
        printer.out.push('\n');
    }
    printer.decls(&program.decls);
    printer.out
}

/// The text of an expression.
pub fn print_expression(expr: &Expr, names: &Interner) -> String {
    let mut printer = Printer { names, out: String::new() };
    printer.expr(expr);
    printer.out
}

/// The text of a type.
pub fn print_type(ty: &TypeExpr, names: &Interner) -> String {
    let mut printer = Printer { names, out: String::new() };
    printer.ty(ty);
    printer.out
}

struct Printer<'a> {
    names: &'a Interner,
    out: String,
}

impl Printer<'_> {
    fn put(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn list<T>(&mut self, open: &str, items: &[T], close: &str, mut item: impl FnMut(&mut Self, &T)) {
        self.put(open);
        for (position, element) in items.iter().enumerate() {
            if position > 0 {
                self.put(", ");
            }
            item(self, element);
        }
        self.put(close);
    }

    fn in_parentheses(&mut self, inside: impl FnOnce(&mut Self)) {
        self.put("(");
        inside(self);
        self.put(")");
    }

    // Names

    fn name(&mut self, ident: Ident) {
        let text = self.names.text(ident.symbol);
        self.out.push_str(text);
    }

    fn is_symbolic(&self, ident: Ident) -> bool {
        !self.names.text(ident.symbol).starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
    }

    /// A name where it is bound: operators in parentheses.
    fn bound_name(&mut self, ident: Ident) {
        if self.is_symbolic(ident) {
            self.in_parentheses(|p| p.name(ident));
        } else {
            self.name(ident);
        }
    }

    fn qual_name(&mut self, name: &QualName) {
        for &qualifier in &name.qualifiers {
            self.name(qualifier);
            self.put(".");
        }
        self.name(name.name);
    }

    fn operator(&mut self, name: &QualName) {
        let mark = if self.is_symbolic(name.name) { "" } else { "`" };
        self.put(mark);
        self.qual_name(name);
        self.put(mark);
    }

    fn attr(&mut self, attr: &Attr) {
        match &attr.kind {
            AttrKind::Name(name) => self.name(*name),
            AttrKind::Int(value) => self.put(&value.to_string()),
            AttrKind::Compound(name, inside) => {
                self.name(*name);
                self.list("(", inside, ")", Self::attr);
            }
        }
    }

    fn attrs(&mut self, attrs: &[Attr]) {
        for attr in attrs {
            self.attr_mark(attr);
        }
    }

    fn attr_mark(&mut self, attr: &Attr) {
        self.put("#[");
        self.attr(attr);
        self.put("] ");
    }

    fn doc(&mut self, doc: &Doc) {
        for (number, line) in doc.text.split('\n').enumerate() {
            self.put(if number == 0 { "-- | " } else { "-- " });
            self.put(line);
            self.put("\n");
        }
    }

    // Declarations

    fn decls(&mut self, decls: &[Decl]) {
        for decl in decls {
            self.decl(decl);
            self.put("\n");
        }
    }

    fn decl(&mut self, decl: &Decl) {
        if let Some(doc) = &decl.doc {
            self.doc(doc);
        }
        self.attrs(&decl.attrs);
        match &decl.kind {
            DeclKind::Value(value) => self.value_decl(value),
            DeclKind::Type(decl) => self.type_decl(decl),
            DeclKind::ModuleType(decl) => {
                self.put("module type ");
                self.name(decl.name);
                self.put(" = ");
                self.module_type(&decl.definition);
            }
            DeclKind::Module(decl) => {
                self.put("module ");
                self.name(decl.name);
                for param in &decl.params {
                    self.put(" ");
                    self.module_param(param);
                }
                if let Some(signature) = &decl.signature {
                    self.put(" : ");
                    self.module_type(signature);
                }
                self.put(" = ");
                self.module(&decl.body);
            }
            DeclKind::Open(module) => {
                self.put("open ");
                self.module(module);
            }
            DeclKind::Import(import) => {
                self.put("import ");
                self.string(&import.path);
            }
            DeclKind::Local(inner) => {
                self.put("local\n");
                self.decl(inner);
            }
        }
    }

    fn value_decl(&mut self, decl: &ValueDecl) {
        self.put(if decl.entry { "entry " } else { "def " });
        self.bound_name(decl.name.name);
        self.function_rest(&decl.type_params, &decl.params, decl.result.as_ref(), &decl.body);
    }

    /// Parameters, result and right-hand side of a function.
    fn function_rest(
        &mut self,
        type_params: &[TypeParam],
        params: &[Pat],
        result: Option<&TypeExpr>,
        body: &Expr,
    ) {
        self.type_params(type_params);
        for param in params {
            self.put(" ");
            self.pat_atom(param);
        }
        if let Some(result) = result {
            self.put(" : ");
            self.ty(result);
        }
        self.put(" = ");
        self.expr(body);
    }

    fn type_decl(&mut self, decl: &TypeDecl) {
        self.type_head(decl.liftedness, decl.name, &decl.params);
        self.put(" = ");
        self.ty(&decl.definition);
    }

    fn type_head(&mut self, liftedness: Liftedness, name: Ident, params: &[TypeParam]) {
        self.put("type");
        self.liftedness(liftedness);
        self.put(" ");
        self.name(name);
        self.type_params(params);
    }

    fn liftedness(&mut self, liftedness: Liftedness) {
        self.put(match liftedness {
            Liftedness::Unlifted => "",
            Liftedness::SizeLifted => "~",
            Liftedness::Lifted => "^",
        });
    }

    fn type_params(&mut self, params: &[TypeParam]) {
        for param in params {
            match param.kind {
                TypeParamKind::Size => self.put(" ["),
                TypeParamKind::Type(liftedness) => {
                    self.put(" '");
                    self.liftedness(liftedness);
                }
            }
            self.name(param.name);
            if param.kind == TypeParamKind::Size {
                self.put("]");
            }
        }
    }

    // Modules

    fn module(&mut self, module: &ModuleExpr) {
        match &module.kind {
            ModuleExprKind::Var(name) => self.qual_name(name),
            ModuleExprKind::Body(decls) => {
                self.put("{\n");
                self.decls(decls);
                self.put("}");
            }
            ModuleExprKind::Import(import) => self.in_parentheses(|p| {
                p.put("import ");
                p.string(&import.path);
            }),
            ModuleExprKind::Apply { function, argument } => self.in_parentheses(|p| {
                p.module(function);
                p.put(" ");
                p.module(argument);
            }),
            ModuleExprKind::Ascribe { module, signature } => self.in_parentheses(|p| {
                p.module(module);
                p.put(" : ");
                p.module_type(signature);
            }),
            ModuleExprKind::Lambda { param, signature, body } => self.in_parentheses(|p| {
                p.put("\\");
                p.module_param(param);
                if let Some(signature) = signature {
                    p.put(" : (");
                    p.module_type(signature);
                    p.put(")");
                }
                p.put(" -> ");
                p.module(body);
            }),
        }
    }

    fn module_param(&mut self, param: &ModuleParam) {
        self.in_parentheses(|p| {
            p.name(param.name);
            p.put(": ");
            p.module_type(&param.signature);
        });
    }

    fn module_type(&mut self, signature: &ModuleTypeExpr) {
        match &signature.kind {
            ModuleTypeExprKind::Var(name) => self.qual_name(name),
            ModuleTypeExprKind::Specs(specs) => {
                self.put("{\n");
                for spec in specs {
                    self.spec(spec);
                    self.put("\n");
                }
                self.put("}");
            }
            ModuleTypeExprKind::With { base, name, params, definition } => self.in_parentheses(|p| {
                p.module_type(base);
                p.put(" with ");
                p.qual_name(name);
                p.type_params(params);
                p.put(" = ");
                p.ty(definition);
            }),
            ModuleTypeExprKind::Arrow { param, argument, result } => self.in_parentheses(|p| {
                match param {
                    Some(param) => p.in_parentheses(|p| {
                        p.name(*param);
                        p.put(": ");
                        p.module_type(argument);
                    }),
                    None => p.module_type(argument),
                }
                p.put(" -> ");
                p.module_type(result);
            }),
        }
    }

    fn spec(&mut self, spec: &Spec) {
        if let Some(doc) = &spec.doc {
            self.doc(doc);
        }
        self.attrs(&spec.attrs);
        match &spec.kind {
            SpecKind::Value { name, type_params, ty } => {
                self.put("val ");
                self.bound_name(*name);
                self.type_params(type_params);
                self.put(" : ");
                self.ty(ty);
            }
            SpecKind::TypeAbbreviation(decl) => self.type_decl(decl),
            SpecKind::AbstractType { liftedness, name, params } => self.type_head(*liftedness, *name, params),
            SpecKind::Module { name, signature } => {
                self.put("module ");
                self.name(*name);
                self.put(" : ");
                self.module_type(signature);
            }
            SpecKind::Include(signature) => {
                self.put("include ");
                self.module_type(signature);
            }
        }
    }

    // Types

    fn ty(&mut self, ty: &TypeExpr) {
        match &ty.kind {
            TypeExprKind::Var(name) => self.qual_name(name),
            TypeExprKind::Tuple(elements) => self.list("(", elements, ")", Self::ty),
            TypeExprKind::Record(fields) => self.list("{", fields, "}", |p, field| {
                p.name(field.name);
                p.put(": ");
                p.ty(&field.ty);
            }),
            TypeExprKind::Array { size, element } => {
                self.size(size);
                self.type_atom(element);
            }
            TypeExprKind::Unique(inner) => {
                self.put("*");
                self.type_atom(inner);
            }
            TypeExprKind::Apply { function, argument } => {
                self.type_atom(function);
                self.put(" ");
                match &**argument {
                    TypeArg::Size(size) => self.size(size),
                    TypeArg::Type(ty) => self.type_atom(ty),
                }
            }
            TypeExprKind::Arrow { param, argument, result } => {
                match param {
                    Some(param) => self.in_parentheses(|p| {
                        p.name(*param);
                        p.put(": ");
                        p.ty(argument);
                    }),
                    None => self.type_atom(argument),
                }
                self.put(" -> ");
                self.ty(result);
            }
            TypeExprKind::Sum(constructors) => {
                for (position, constructor) in constructors.iter().enumerate() {
                    self.put(if position > 0 { " | #" } else { "#" });
                    self.name(constructor.name);
                    for ty in &constructor.payload {
                        self.put(" ");
                        self.type_atom(ty);
                    }
                }
            }
            TypeExprKind::Exists { sizes, body } => {
                self.put("?");
                for &size in sizes {
                    self.put("[");
                    self.name(size);
                    self.put("]");
                }
                self.put(".");
                self.ty(body);
            }
        }
    }

    /// A type where only those that delimit themselves may stand bare.
    fn type_atom(&mut self, ty: &TypeExpr) {
        match ty.kind {
            TypeExprKind::Var(_) | TypeExprKind::Tuple(_) | TypeExprKind::Record(_) => self.ty(ty),
            TypeExprKind::Array { .. }
            | TypeExprKind::Unique(_)
            | TypeExprKind::Apply { .. }
            | TypeExprKind::Arrow { .. }
            | TypeExprKind::Sum(_)
            | TypeExprKind::Exists { .. } => self.in_parentheses(|p| p.ty(ty)),
        }
    }

    fn size(&mut self, size: &SizeExpr) {
        self.put("[");
        if let Some(expr) = &size.expr {
            self.expr(expr);
        }
        self.put("]");
    }

    // Patterns

    fn pat(&mut self, pat: &Pat) {
        match &pat.kind {
            PatKind::Name(name) => self.bound_name(*name),
            PatKind::Wildcard => self.put("_"),
            PatKind::Tuple(elements) => self.list("(", elements, ")", Self::pat),
            PatKind::Record(fields) => self.list("{", fields, "}", |p, field| {
                p.name(field.name);
                p.put(" = ");
                p.pat(&field.pattern);
            }),
            PatKind::Ascribe(inner, ty) => {
                self.pat_atom(inner);
                self.put(": ");
                self.ty(ty);
            }
            PatKind::Literal { negated, literal } => {
                self.put(if *negated { "-" } else { "" });
                self.literal(*literal);
            }
            PatKind::Constructor(name, arguments) => {
                self.put("#");
                self.name(*name);
                for argument in arguments {
                    self.put(" ");
                    self.pat_atom(argument);
                }
            }
            PatKind::Attr(attr, inner) => {
                self.attr_mark(attr);
                self.pat(inner);
            }
        }
    }

    /// A pattern where only those that delimit themselves may stand bare.
    fn pat_atom(&mut self, pat: &Pat) {
        let bare = match &pat.kind {
            PatKind::Name(_) | PatKind::Wildcard | PatKind::Tuple(_) | PatKind::Record(_) => true,
            PatKind::Literal { negated, .. } => !negated,
            PatKind::Constructor(_, arguments) => arguments.is_empty(),
            PatKind::Ascribe(..) | PatKind::Attr(..) => false,
        };
        if bare { self.pat(pat) } else { self.in_parentheses(|p| p.pat(pat)) }
    }

    // Literals

    fn literal(&mut self, literal: Literal) {
        let text = match literal {
            Literal::Bool(value) => value.to_string(),
            Literal::Int(value) => value.to_string(),
            Literal::Float(value) => float_text(format!("{value:?}"), ""),
            Literal::Char(value) => format!("'{}'", escape(value, '\'', "")),
            Literal::I8(value) => format!("{}i8", value as u8),
            Literal::I16(value) => format!("{}i16", value as u16),
            Literal::I32(value) => format!("{}i32", value as u32),
            Literal::I64(value) => format!("{}i64", value as u64),
            Literal::U8(value) => format!("{value}u8"),
            Literal::U16(value) => format!("{value}u16"),
            Literal::U32(value) => format!("{value}u32"),
            Literal::U64(value) => format!("{value}u64"),
            Literal::F16(value) => float_text(format!("{:?}", value.to_f32()), "f16"),
            Literal::F32(value) => float_text(format!("{value:?}"), "f32"),
            Literal::F64(value) => float_text(format!("{value:?}"), "f64"),
        };
        self.put(&text);
    }

    fn string(&mut self, text: &str) {
        self.put("\"");
        for c in text.chars() {
            self.put(&escape(c, '"', "\\&"));
        }
        self.put("\"");
    }

    // Expressions

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => self.literal(*literal),
            ExprKind::String(bytes) => self.string(&String::from_utf8_lossy(bytes)),
            ExprKind::Hole => self.put("???"),
            ExprKind::Var(name) => self.qual_name(name),
            ExprKind::Tuple(elements) => self.list("(", elements, ")", Self::expr),
            ExprKind::Record(fields) => self.list("{", fields, "}", |p, field| {
                p.name(field.name);
                if let Some(value) = &field.value {
                    p.put(" = ");
                    p.expr(value);
                }
            }),
            ExprKind::Array(elements) => self.list("[", elements, "]", Self::expr),
            ExprKind::LocalOpen { module, body } => {
                self.qual_name(module);
                self.put(".");
                self.in_parentheses(|p| p.expr(body));
            }
            ExprKind::Attr { attr, body } => {
                self.attr_mark(attr);
                self.expr(body);
            }
            ExprKind::Project { record, field } => {
                self.in_parentheses(|p| p.expr(record));
                self.put(".");
                self.name(*field);
            }
            ExprKind::Index { array, slice } => {
                self.in_parentheses(|p| p.expr(array));
                self.slice(slice);
            }
            ExprKind::Negate(operand) => {
                self.put("-");
                self.atom(operand);
            }
            ExprKind::Not(operand) => {
                self.put("!");
                self.atom(operand);
            }
            ExprKind::Assert { condition, body } => {
                self.put("assert ");
                self.atom(condition);
                self.put(" ");
                self.expr(body);
            }
            ExprKind::Constructor { name, arguments } => {
                self.put("#");
                self.name(*name);
                self.arguments(arguments);
            }
            ExprKind::Update { target, path, value } => {
                self.atom(target);
                self.put(" with ");
                self.path(path);
                self.put(" = ");
                self.atom(value);
            }
            ExprKind::Lambda { params, result, body } => {
                self.put("\\");
                for param in params {
                    self.pat_atom(param);
                    self.put(" ");
                }
                if let Some(result) = result {
                    self.put(": ");
                    self.type_atom(result);
                }
                self.put(" -> ");
                self.expr(body);
            }
            ExprKind::OperatorSection(operator) => self.in_parentheses(|p| p.operator(operator)),
            ExprKind::LeftSection { left, operator } => self.in_parentheses(|p| {
                p.atom(left);
                p.put(" ");
                p.operator(operator);
            }),
            ExprKind::RightSection { operator, right } => self.in_parentheses(|p| {
                p.operator(operator);
                p.put(" ");
                p.atom(right);
            }),
            ExprKind::PathSection(path) => self.in_parentheses(|p| {
                if matches!(path[0], PathStep::Index(_)) {
                    p.put(".");
                }
                p.path(path);
            }),
            ExprKind::Ascribe { body, ty } => {
                self.atom(body);
                self.put(" : ");
                self.ty(ty);
            }
            ExprKind::Coerce { body, ty } => {
                self.atom(body);
                self.put(" :> ");
                self.ty(ty);
            }
            ExprKind::Apply { function, arguments } => {
                match function.kind {
                    ExprKind::Var(_) => self.expr(function),
                    _ => self.in_parentheses(|p| p.expr(function)),
                }
                self.arguments(arguments);
            }
            ExprKind::Binary { operator, left, right } => {
                self.atom(left);
                self.put(" ");
                self.operator(operator);
                self.put(" ");
                self.atom(right);
            }
            ExprKind::Range { start, second, bound, end } => {
                self.range(start, second.as_deref(), *bound, end)
            }
            ExprKind::Let { bindings, body } => self.let_expr(bindings, body),
            ExprKind::If { condition, then, otherwise } => {
                self.put("if ");
                self.expr(condition);
                self.put(" then ");
                self.expr(then);
                self.put(" else ");
                self.expr(otherwise);
            }
            ExprKind::Loop(it) => self.loop_expr(it),
            ExprKind::Match { scrutinee, cases } => {
                self.put("match ");
                self.atom(scrutinee);
                for case in cases {
                    self.put(" case ");
                    self.pat_atom(&case.pattern);
                    self.put(" -> ");
                    self.atom(&case.body);
                }
            }
        }
    }

    /// An expression where only those that delimit themselves may stand bare.
    fn atom(&mut self, expr: &Expr) {
        let bare = match &expr.kind {
            ExprKind::Literal(_)
            | ExprKind::String(_)
            | ExprKind::Hole
            | ExprKind::Var(_)
            | ExprKind::Tuple(_)
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::LocalOpen { .. }
            | ExprKind::Project { .. }
            | ExprKind::Index { .. }
            | ExprKind::OperatorSection(_)
            | ExprKind::LeftSection { .. }
            | ExprKind::RightSection { .. }
            | ExprKind::PathSection(_) => true,
            ExprKind::Constructor { arguments, .. } => arguments.is_empty(),
            ExprKind::Attr { .. }
            | ExprKind::Negate(_)
            | ExprKind::Not(_)
            | ExprKind::Assert { .. }
            | ExprKind::Update { .. }
            | ExprKind::Lambda { .. }
            | ExprKind::Ascribe { .. }
            | ExprKind::Coerce { .. }
            | ExprKind::Apply { .. }
            | ExprKind::Binary { .. }
            | ExprKind::Range { .. }
            | ExprKind::Let { .. }
            | ExprKind::If { .. }
            | ExprKind::Loop(_)
            | ExprKind::Match { .. } => false,
        };
        if bare { self.expr(expr) } else { self.in_parentheses(|p| p.expr(expr)) }
    }

    fn arguments(&mut self, arguments: &[Expr]) {
        for argument in arguments {
            self.put(" ");
            self.atom(argument);
        }
    }

    fn range(&mut self, start: &Expr, second: Option<&Expr>, bound: RangeBound, end: &Expr) {
        self.atom(start);
        if let Some(second) = second {
            self.put(" .. ");
            self.atom(second);
        }
        self.put(match bound {
            RangeBound::Inclusive => " ... ",
            RangeBound::Below => " ..< ",
            RangeBound::Above => " ..> ",
        });
        self.atom(end);
    }

    fn let_expr(&mut self, bindings: &[LetBinding], body: &Expr) {
        for binding in bindings {
            self.put("let ");
            match &binding.kind {
                LetKind::Pattern { sizes, pattern, value } => {
                    for &size in sizes {
                        self.put("[");
                        self.name(size);
                        self.put("] ");
                    }
                    self.pat(pattern);
                    self.put(" = ");
                    self.expr(value);
                }
                LetKind::Function(function) => {
                    self.name(function.name.name);
                    let result = function.result.as_ref();
                    self.function_rest(&function.type_params, &function.params, result, &function.body);
                }
                LetKind::Update { name, path, value } => {
                    self.name(name.name);
                    self.path(path);
                    self.put(" = ");
                    self.expr(value);
                }
            }
            self.put("\n");
        }
        self.put("in ");
        match body.kind {
            ExprKind::Let { .. } => self.in_parentheses(|p| p.expr(body)),
            _ => self.expr(body),
        }
    }

    fn loop_expr(&mut self, it: &LoopExpr) {
        self.put("loop ");
        self.pat(&it.pattern);
        if let Some(initial) = &it.initial {
            self.put(" = ");
            self.expr(initial);
        }
        match &it.form {
            LoopForm::For { index, bound } => {
                self.put(" for ");
                self.name(index.name);
                self.put(" < ");
                self.expr(bound);
            }
            LoopForm::ForIn { pattern, array } => {
                self.put(" for ");
                self.pat(pattern);
                self.put(" in ");
                self.expr(array);
            }
            LoopForm::While(condition) => {
                self.put(" while ");
                self.expr(condition);
            }
        }
        self.put(" do ");
        self.expr(&it.body);
    }

    /// `.x[i].y`: every field with its dot.
    fn path(&mut self, path: &[PathStep]) {
        for step in path {
            match step {
                PathStep::Index(slice) => self.slice(slice),
                PathStep::Field(field) => {
                    self.put(".");
                    self.name(*field);
                }
            }
        }
    }

    fn slice(&mut self, slice: &[DimIndex]) {
        self.list("[", slice, "]", |p, index| match &index.kind {
            DimIndexKind::Fix(index) => p.atom(index),
            DimIndexKind::Slice { start, end, stride } => {
                if let Some(start) = start {
                    p.atom(start);
                }
                p.put(":");
                if let Some(end) = end {
                    p.atom(end);
                }
                if let Some(stride) = stride {
                    p.put(":");
                    p.atom(stride);
                }
            }
        });
    }
}

/// The text of a float: infinity is a number too large.
fn float_text(text: String, suffix: &str) -> String {
    if text == "inf" { format!("1e999{suffix}") } else { text + suffix }
}

/// A character inside quotes; `after_code` ends a numeric escape.
fn escape(c: char, quote: char, after_code: &str) -> String {
    match c {
        '\n' => "\\n".to_string(),
        '\\' => "\\\\".to_string(),
        c if c == quote => format!("\\{c}"),
        c if c.is_control() => format!("\\{}{after_code}", c as u32),
        c => c.to_string(),
    }
}
