//! Trees built from bytes. Every byte is a choice; after the last byte the smallest form is chosen, so that shorter and smaller
//! bytes (towards which proptest shrinks) mean smaller trees.

use warpwise_diag::Span;
use warpwise_fut::syntax::ast::*;
use warpwise_fut::syntax::session::Session;

/// Builds a file from bytes.
pub fn program(entropy: &[u8], session: &mut Session) -> Program {
    let mut grower = Grower { entropy: entropy.iter(), session, depth: 0 };
    let decls = grower.some(0, Grower::decl);
    let documented = decls.first().is_some_and(|decl| decl.doc.is_some());
    let doc = if documented && grower.flip() { Some(doc()) } else { None };
    Program { doc, decls }
}

struct Grower<'a> {
    entropy: std::slice::Iter<'a, u8>,
    session: &'a mut Session,
    depth: u32,
}

const NAMES: [&str; 6] = ["x", "y", "f", "long_name'", "_a", "T1"];
const OPERATORS: [&str; 12] = ["+", "*", "<", "^", "|", "|>", "<|", "**.", "=-", "&&", "!=", "->*"];
const NONE: Span = Span::NONE;

fn doc() -> Doc {
    Doc { span: NONE, text: "One.\n  Two -- three\n".to_string() }
}

impl Grower<'_> {
    fn byte(&mut self) -> usize {
        self.entropy.next().map_or(0, |&byte| byte as usize)
    }

    fn flip(&mut self) -> bool {
        self.byte() % 2 == 1
    }

    /// Chooses one of `n` forms; the first, which must have no parts, if the tree is high enough.
    fn choose(&mut self, n: usize) -> usize {
        if self.depth > 8 { 0 } else { self.byte() % n }
    }

    fn deeper<T>(&mut self, grow: impl FnOnce(&mut Self) -> T) -> T {
        self.depth += 1;
        let grown = grow(self);
        self.depth -= 1;
        grown
    }

    /// Returns `least` to `least + 2` items.
    fn some<T>(&mut self, least: usize, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        let n = least + self.byte() % 3;
        (0..n).map(|_| item(self)).collect()
    }

    /// Returns no items or at least two, as tuples require.
    fn tuple<T>(&mut self, item: impl Fn(&mut Self) -> T) -> Vec<T> {
        if self.flip() { self.some(2, item) } else { Vec::new() }
    }

    fn maybe<T>(&mut self, item: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.flip() { Some(item(self)) } else { None }
    }

    // Names

    fn intern(&mut self, text: &str) -> Ident {
        Ident { symbol: self.session.names.intern(text), span: NONE }
    }

    fn ident(&mut self) -> Ident {
        let index = self.byte() % NAMES.len();
        self.intern(NAMES[index])
    }

    fn symbolic(&mut self) -> Ident {
        let index = self.byte() % OPERATORS.len();
        self.intern(OPERATORS[index])
    }

    fn field(&mut self) -> Ident {
        if self.flip() { self.intern("0") } else { self.ident() }
    }

    fn bound(&mut self) -> Ident {
        if self.flip() { self.symbolic() } else { self.ident() }
    }

    fn binder(&mut self, name: Ident) -> Binder {
        Binder { id: self.session.ids.fresh_pat(), name }
    }

    fn qual_name(&mut self) -> QualName {
        let qualifiers = self.some(0, Grower::ident);
        QualName { span: NONE, qualifiers, name: self.ident() }
    }

    fn operator(&mut self) -> QualName {
        let qualifiers = self.some(0, Grower::ident);
        QualName { span: NONE, qualifiers, name: self.bound() }
    }

    fn attr(&mut self) -> Attr {
        let kind = match self.choose(3) {
            0 => AttrKind::Name(self.ident()),
            1 => AttrKind::Int(self.byte() as u128),
            _ => {
                let name = self.ident();
                AttrKind::Compound(name, self.deeper(|g| g.some(0, Grower::attr)))
            }
        };
        Attr { span: NONE, kind }
    }

    fn type_param(&mut self) -> TypeParam {
        let kind = match self.byte() % 4 {
            0 => TypeParamKind::Size,
            1 => TypeParamKind::Type(Liftedness::Unlifted),
            2 => TypeParamKind::Type(Liftedness::SizeLifted),
            _ => TypeParamKind::Type(Liftedness::Lifted),
        };
        TypeParam { span: NONE, name: self.ident(), kind }
    }

    fn liftedness(&mut self) -> Liftedness {
        [Liftedness::Unlifted, Liftedness::SizeLifted, Liftedness::Lifted][self.byte() % 3]
    }

    // Declarations

    fn decl(&mut self) -> Decl {
        self.deeper(|g| {
            let doc = g.maybe(|_| doc());
            let attrs = g.some(0, Grower::attr);
            Decl { span: NONE, doc, attrs, kind: g.decl_kind() }
        })
    }

    fn decl_kind(&mut self) -> DeclKind {
        match self.choose(7) {
            0 => DeclKind::Import(self.import()),
            1 => DeclKind::Value(ValueDecl {
                entry: self.flip(),
                name: {
                    let name = self.bound();
                    self.binder(name)
                },
                type_params: self.some(0, Grower::type_param),
                params: self.some(0, Grower::pat),
                result: self.maybe(Grower::ty),
                body: self.expr(),
            }),
            2 => DeclKind::Type(self.type_decl()),
            3 => DeclKind::ModuleType(ModuleTypeDecl { name: self.ident(), definition: self.module_type() }),
            4 => DeclKind::Module(ModuleDecl {
                name: self.ident(),
                params: self.some(0, Grower::module_param),
                signature: self.maybe(Grower::module_type),
                body: self.module(),
            }),
            5 => DeclKind::Open(self.module()),
            _ => DeclKind::Local(Box::new(self.decl())),
        }
    }

    fn import(&mut self) -> ImportPath {
        ImportPath { span: NONE, path: ["a/b", "", "é\"\\\n\u{1}1"][self.byte() % 3].to_string() }
    }

    fn type_decl(&mut self) -> TypeDecl {
        let (liftedness, name) = (self.liftedness(), self.ident());
        TypeDecl { liftedness, name, params: self.some(0, Grower::type_param), definition: self.ty() }
    }

    fn module(&mut self) -> ModuleExpr {
        let kind = self.deeper(|g| match g.choose(6) {
            0 => ModuleExprKind::Var(g.qual_name()),
            1 => ModuleExprKind::Body(g.some(0, Grower::decl)),
            2 => ModuleExprKind::Import(g.import()),
            3 => ModuleExprKind::Apply { function: Box::new(g.module()), argument: Box::new(g.module()) },
            4 => {
                ModuleExprKind::Ascribe { module: Box::new(g.module()), signature: Box::new(g.module_type()) }
            }
            _ => ModuleExprKind::Lambda {
                param: Box::new(g.module_param()),
                signature: g.maybe(|g| Box::new(g.module_type())),
                body: Box::new(g.module()),
            },
        });
        ModuleExpr { span: NONE, kind }
    }

    fn module_param(&mut self) -> ModuleParam {
        ModuleParam { span: NONE, name: self.ident(), signature: self.module_type() }
    }

    fn module_type(&mut self) -> ModuleTypeExpr {
        let kind = self.deeper(|g| match g.choose(4) {
            0 => ModuleTypeExprKind::Var(g.qual_name()),
            1 => ModuleTypeExprKind::Specs(g.some(0, Grower::spec)),
            2 => ModuleTypeExprKind::With {
                base: Box::new(g.module_type()),
                name: g.qual_name(),
                params: g.some(0, Grower::type_param),
                definition: Box::new(g.ty()),
            },
            _ => ModuleTypeExprKind::Arrow {
                param: g.maybe(Grower::ident),
                argument: Box::new(g.module_type()),
                result: Box::new(g.module_type()),
            },
        });
        ModuleTypeExpr { span: NONE, kind }
    }

    fn spec(&mut self) -> Spec {
        let doc = self.maybe(|_| doc());
        let attrs = self.some(0, Grower::attr);
        let kind = match self.byte() % 5 {
            0 => SpecKind::AbstractType {
                liftedness: self.liftedness(),
                name: self.ident(),
                params: self.some(0, Grower::type_param),
            },
            1 => SpecKind::Value {
                name: self.bound(),
                type_params: self.some(0, Grower::type_param),
                ty: self.ty(),
            },
            2 => SpecKind::TypeAbbreviation(self.type_decl()),
            3 => SpecKind::Module { name: self.ident(), signature: self.module_type() },
            _ => SpecKind::Include(self.module_type()),
        };
        Spec { span: NONE, doc, attrs, kind }
    }

    // Types

    fn ty(&mut self) -> TypeExpr {
        let kind = self.deeper(|g| match g.choose(9) {
            0 => TypeExprKind::Var(g.qual_name()),
            1 => TypeExprKind::Tuple(g.tuple(Grower::ty)),
            2 => TypeExprKind::Record(g.some(0, |g| FieldType { name: g.field(), ty: g.ty() })),
            3 => TypeExprKind::Array { size: g.size(), element: Box::new(g.ty()) },
            4 => TypeExprKind::Unique(Box::new(g.ty())),
            5 => TypeExprKind::Apply {
                function: Box::new(g.ty()),
                argument: Box::new(if g.flip() { TypeArg::Size(g.size()) } else { TypeArg::Type(g.ty()) }),
            },
            6 => TypeExprKind::Arrow {
                param: g.maybe(Grower::ident),
                argument: Box::new(g.ty()),
                result: Box::new(g.ty()),
            },
            7 => TypeExprKind::Sum(g.some(1, |g| ConstructorType {
                span: NONE,
                name: g.ident(),
                payload: g.some(0, Grower::ty),
            })),
            _ => TypeExprKind::Exists { sizes: g.some(1, Grower::ident), body: Box::new(g.ty()) },
        });
        TypeExpr { span: NONE, kind }
    }

    fn size(&mut self) -> SizeExpr {
        SizeExpr { span: NONE, expr: self.maybe(|g| Box::new(g.expr())) }
    }

    // Patterns

    fn pat(&mut self) -> Pat {
        let kind = self.deeper(|g| match g.choose(8) {
            0 => PatKind::Name(g.bound()),
            1 => PatKind::Wildcard,
            2 => PatKind::Tuple(g.tuple(Grower::pat)),
            3 => PatKind::Record(g.some(0, |g| FieldPat { name: g.field(), pattern: g.pat() })),
            4 => PatKind::Ascribe(Box::new(g.pat()), Box::new(g.ty())),
            5 => {
                let literal = g.literal();
                let is_number = !matches!(literal, Literal::Bool(_) | Literal::Char(_));
                PatKind::Literal { negated: is_number && g.flip(), literal }
            }
            6 => PatKind::Constructor(g.ident(), g.some(0, Grower::pat)),
            _ => PatKind::Attr(Box::new(g.attr()), Box::new(g.pat())),
        });
        Pat { id: self.session.ids.fresh_pat(), span: NONE, kind }
    }

    fn literal(&mut self) -> Literal {
        let value = self.byte();
        match self.byte() % 15 {
            0 => Literal::Int(value as u128),
            1 => Literal::Int(u128::MAX - value as u128),
            2 => Literal::Bool(value % 2 == 1),
            3 => Literal::Float(value as f64 * 1e300),
            4 => Literal::Float(f64::INFINITY),
            5 => Literal::Char(char::from(value as u8)),
            6 => Literal::I8(value as i8),
            7 => Literal::I16(-(value as i16)),
            8 => Literal::I32(i32::MIN + value as i32),
            9 => Literal::I64(-1 - value as i64),
            10 => Literal::U8(value as u8),
            11 => Literal::U64(u64::MAX - value as u64),
            12 => Literal::F16(half::f16::from_bits(value as u16)),
            13 => Literal::F32(value as f32 * 0.1),
            _ => Literal::F64(value as f64 * 1e-310),
        }
    }

    // Expressions

    fn boxed(&mut self) -> Box<Expr> {
        Box::new(self.expr())
    }

    fn expr(&mut self) -> Expr {
        let kind = self.deeper(|g| g.expr_kind());
        Expr { id: self.session.ids.fresh_expr(), span: NONE, kind }
    }

    fn expr_kind(&mut self) -> ExprKind {
        match self.choose(31) {
            0 => ExprKind::Var(self.qual_name()),
            1 => ExprKind::Literal(self.literal()),
            2 => ExprKind::String(["", "a\"\\\n\u{7}8é"][self.byte() % 2].as_bytes().to_vec()),
            3 => ExprKind::Hole,
            4 => ExprKind::Tuple(self.tuple(Grower::expr)),
            5 => ExprKind::Record(self.some(0, Grower::field_init)),
            6 => ExprKind::Array(self.some(0, Grower::expr)),
            7 => ExprKind::LocalOpen { module: self.qual_name(), body: self.boxed() },
            8 => ExprKind::Attr { attr: Box::new(self.attr()), body: self.boxed() },
            9 => ExprKind::Project { record: self.boxed(), field: self.field() },
            10 => ExprKind::Index { array: self.boxed(), slice: self.some(0, Grower::index) },
            11 => ExprKind::Negate(self.boxed()),
            12 => ExprKind::Not(self.boxed()),
            13 => ExprKind::Assert { condition: self.boxed(), body: self.boxed() },
            14 => ExprKind::Constructor { name: self.ident(), arguments: self.some(0, Grower::expr) },
            15 => ExprKind::Update { target: self.boxed(), path: self.path(), value: self.boxed() },
            16 => ExprKind::Lambda {
                params: self.some(1, Grower::pat),
                result: self.maybe(|g| Box::new(g.ty())),
                body: self.boxed(),
            },
            17 => ExprKind::OperatorSection(self.operator()),
            18 => ExprKind::LeftSection { left: self.boxed(), operator: self.operator() },
            19 => ExprKind::RightSection { operator: self.operator(), right: self.boxed() },
            20 => ExprKind::PathSection(self.path()),
            21 => ExprKind::Ascribe { body: self.boxed(), ty: Box::new(self.ty()) },
            22 => ExprKind::Coerce { body: self.boxed(), ty: Box::new(self.ty()) },
            23 => ExprKind::Apply { function: self.boxed(), arguments: self.some(1, Grower::expr) },
            24 => ExprKind::Binary { operator: self.operator(), left: self.boxed(), right: self.boxed() },
            25 => ExprKind::Range {
                start: self.boxed(),
                second: self.maybe(Grower::boxed),
                bound: [RangeBound::Inclusive, RangeBound::Below, RangeBound::Above][self.byte() % 3],
                end: self.boxed(),
            },
            26 | 27 => ExprKind::Let { bindings: self.some(1, Grower::binding), body: self.boxed() },
            28 => ExprKind::If { condition: self.boxed(), then: self.boxed(), otherwise: self.boxed() },
            29 => ExprKind::Loop(Box::new(LoopExpr {
                pattern: self.pat(),
                initial: self.maybe(Grower::expr),
                form: self.loop_form(),
                body: self.expr(),
            })),
            _ => ExprKind::Match {
                scrutinee: self.boxed(),
                cases: self.some(1, |g| MatchCase { span: NONE, pattern: g.pat(), body: g.expr() }),
            },
        }
    }

    fn field_init(&mut self) -> FieldInit {
        match self.maybe(Grower::ident) {
            Some(name) => FieldInit { name, value: None },
            None => FieldInit { name: self.field(), value: Some(self.expr()) },
        }
    }

    fn index(&mut self) -> DimIndex {
        let kind = if self.flip() {
            DimIndexKind::Slice {
                start: self.maybe(Grower::boxed),
                end: self.maybe(Grower::boxed),
                stride: self.maybe(Grower::boxed),
            }
        } else {
            DimIndexKind::Fix(self.boxed())
        };
        DimIndex { span: NONE, kind }
    }

    fn path(&mut self) -> Vec<PathStep> {
        self.some(1, |g| {
            if g.flip() { PathStep::Index(g.some(0, Grower::index)) } else { PathStep::Field(g.field()) }
        })
    }

    fn binding(&mut self) -> LetBinding {
        let kind = match self.byte() % 3 {
            0 => LetKind::Pattern {
                sizes: self.some(0, Grower::ident),
                pattern: self.pat(),
                value: self.expr(),
            },
            1 => {
                let name = self.ident();
                LetKind::Function(Box::new(LocalFunction {
                    name: self.binder(name),
                    type_params: self.some(0, Grower::type_param),
                    params: self.some(1, Grower::pat),
                    result: self.maybe(Grower::ty),
                    body: self.expr(),
                }))
            }
            _ => {
                let name = self.ident();
                LetKind::Update { name: self.binder(name), path: self.path(), value: self.expr() }
            }
        };
        LetBinding { span: NONE, kind }
    }

    fn loop_form(&mut self) -> LoopForm {
        match self.byte() % 3 {
            0 => {
                let name = self.ident();
                LoopForm::For { index: self.binder(name), bound: self.expr() }
            }
            1 => LoopForm::ForIn { pattern: self.pat(), array: self.expr() },
            _ => LoopForm::While(self.expr()),
        }
    }
}
