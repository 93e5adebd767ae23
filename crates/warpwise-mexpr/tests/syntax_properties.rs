//! Parsing a printed tree returns the same tree; and on any text the parser returns a tree or errors.

use proptest::collection::vec;
use proptest::prelude::*;
use warpwise_diag::{FileId, Span};
use warpwise_mexpr::syntax::ast::{
    Binding, Decl, DeclKind, Expr, ExprKind, Ident, Parameter, Pat, PatKind, Program, SeqPat, Test, TypeExpr,
    TypeKind, Utest,
};
use warpwise_mexpr::syntax::names::{Names, Symbol};
use warpwise_mexpr::syntax::parser::{MAX_NESTING, parse_program};
use warpwise_mexpr::syntax::print::print_program;

/// Names of variables, constructors and types, plain and quoted, by number.
const VARIABLES: [&str; 5] = ["x", "f1", "a b", "in", "-"];
const CAPITALS: [&str; 4] = ["A", "Bc", "con", "é"];

fn names() -> Names {
    let mut names = Names::new();
    VARIABLES.iter().chain(&CAPITALS).for_each(|name| {
        names.intern(name);
    });
    names
}

fn variable() -> impl Strategy<Value = Symbol> {
    (0..VARIABLES.len() as u32).prop_map(Symbol)
}

fn ident(name: Symbol) -> Ident {
    Ident { name, span: Span::NONE }
}

fn capital() -> impl Strategy<Value = Ident> {
    (0..CAPITALS.len() as u32).prop_map(|index| ident(Symbol(VARIABLES.len() as u32 + index)))
}

fn ty() -> impl Strategy<Value = TypeExpr> {
    let make = |kind| TypeExpr { kind, span: Span::NONE };
    let leaf = prop_oneof![
        Just(TypeKind::Unknown),
        Just(TypeKind::Int),
        Just(TypeKind::String),
        Just(TypeKind::Tuple(Vec::new())),
        variable().prop_map(TypeKind::Var),
    ];
    leaf.prop_map(make).prop_recursive(4, 20, 3, move |inner| {
        prop_oneof![
            inner.clone().prop_map(|t| TypeKind::Seq(Box::new(t))),
            inner.clone().prop_map(|t| TypeKind::Tensor(Box::new(t))),
            vec(inner.clone(), 2..3).prop_map(TypeKind::Tuple),
            vec((capital(), inner.clone()), 1..3).prop_map(TypeKind::Record),
            (capital(), vec(inner.clone(), 0..3)).prop_map(|(name, types)| TypeKind::Named(name, types)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| TypeKind::Arrow(Box::new(a), Box::new(b))),
            (variable(), inner).prop_map(|(name, t)| TypeKind::All(ident(name), Box::new(t))),
        ]
        .prop_map(make)
    })
}

fn pat() -> impl Strategy<Value = Pat> {
    let make = |kind| Pat { kind, span: Span::NONE };
    let name = prop_oneof![Just(PatKind::Wildcard), variable().prop_map(PatKind::Name)].prop_map(make);
    let leaf = prop_oneof![
        name.clone().prop_map(|pat| pat.kind),
        any::<i64>().prop_map(PatKind::Int),
        any::<char>().prop_map(PatKind::Char),
        Just(PatKind::Bool(true)),
    ];
    leaf.prop_map(make).prop_recursive(4, 20, 3, move |inner| {
        let row = || {
            prop_oneof![
                vec(inner.clone(), 0..3).prop_map(SeqPat::List),
                any::<String>().prop_map(SeqPat::String)
            ]
        };
        let edge = (row(), name.clone(), row());
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(PatKind::Tuple),
            vec((capital(), inner.clone()), 1..3).prop_map(PatKind::Record),
            (capital(), inner.clone()).prop_map(|(name, pat)| PatKind::Construct(name, Box::new(pat))),
            row().prop_map(PatKind::Seq),
            edge.prop_map(|(first, middle, last)| PatKind::Edge(first, Box::new(middle), last)),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| PatKind::And(Box::new(a), Box::new(b))),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| PatKind::Or(Box::new(a), Box::new(b))),
            inner.clone().prop_map(|pat| PatKind::Not(Box::new(pat))),
        ]
        .prop_map(make)
    })
}

fn leaf() -> impl Strategy<Value = ExprKind> {
    let finite = any::<f64>().prop_filter("literals are no NaN", |value| !value.is_nan());
    prop_oneof![
        variable().prop_map(ExprKind::Var),
        variable().prop_map(ExprKind::Frozen),
        any::<i64>().prop_map(ExprKind::Int),
        finite.prop_map(ExprKind::Float),
        any::<char>().prop_map(ExprKind::Char),
        any::<String>().prop_map(ExprKind::String),
        any::<bool>().prop_map(ExprKind::Bool),
        Just(ExprKind::Never),
    ]
}

/// Generates expressions as the parser makes them: lists are never nested in their own tails.
fn expr() -> impl Strategy<Value = Expr> {
    let make = |kind| Expr { kind, span: Span::NONE };
    leaf().prop_map(make).prop_recursive(5, 40, 3, move |inner| {
        let e = || inner.clone();
        let boxed = || inner.clone().prop_map(Box::new);
        let fields = || vec((capital(), inner.clone()), 1..3);
        let parameter = (proptest::option::of(variable().prop_map(ident)), proptest::option::of(ty()));
        let parameter =
            parameter.prop_map(|(name, ty)| Parameter { ty: ty.filter(|_| name.is_some()), name });
        let test = (e(), proptest::option::of(pat()), e());
        let test = test.prop_map(|(scrutinee, pattern, then)| Test { scrutinee, pattern, then });
        prop_oneof![
            (boxed(), vec(e(), 1..3)).prop_filter_map("applied", |(function, arguments)| {
                let nested = matches!(function.kind, ExprKind::Apply(..));
                (!nested).then_some(ExprKind::Apply(function, arguments))
            }),
            (capital(), boxed()).prop_map(|(name, held)| ExprKind::Construct(name, held)),
            (vec(parameter, 1..3), boxed()).prop_filter_map("a function", |(parameters, body)| {
                let nested = matches!(body.kind, ExprKind::Lambda(..));
                (!nested).then_some(ExprKind::Lambda(parameters, body))
            }),
            (vec(test, 1..3), boxed()).prop_filter_map("a choice", |(tests, otherwise)| {
                let nested = matches!(otherwise.kind, ExprKind::Choice(..));
                (!nested).then_some(ExprKind::Choice(tests, otherwise))
            }),
            (boxed(), vec((pat(), e()), 0..3)).prop_map(|(value, cases)| ExprKind::Switch(value, cases)),
            vec(e(), 0..3).prop_map(ExprKind::Tuple),
            vec(e(), 0..3).prop_map(ExprKind::Seq),
            fields().prop_map(ExprKind::Record),
            (boxed(), fields()).prop_map(|(record, fields)| ExprKind::Update(record, fields)),
            (boxed(), vec(capital(), 1..3)).prop_map(|(record, path)| ExprKind::Project(record, path)),
            (vec(decl(e()), 1..3), boxed()).prop_filter_map("a block", |(decls, result)| {
                let nested = matches!(result.kind, ExprKind::Block(..));
                (!nested).then_some(ExprKind::Block(decls, result))
            }),
        ]
        .prop_map(make)
    })
}

fn decl(expr: impl Strategy<Value = Expr> + Clone + 'static) -> impl Strategy<Value = Decl> {
    let binding = (variable(), proptest::option::of(ty()), expr.clone());
    let binding = binding.prop_map(|(name, ty, body)| Binding { name: ident(name), ty, body }).boxed();
    let utest =
        (expr.clone(), expr.clone(), proptest::option::of(expr.clone()), proptest::option::of(expr.clone()));
    prop_oneof![
        binding.clone().prop_map(DeclKind::Let),
        vec(binding, 1..3).prop_map(DeclKind::Recursive),
        utest.prop_map(|(actual, expected, using, otherwise)| {
            DeclKind::Utest(Box::new(Utest { actual, expected, using, otherwise }))
        }),
        expr.clone().prop_map(DeclKind::Do),
        (expr, pat()).prop_map(|parts| DeclKind::Match(Box::new(parts))),
    ]
    .prop_map(|kind| Decl { kind, span: Span::NONE })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn printing_and_parsing_gives_the_tree_back(main in expr()) {
        let mut names = names();
        let program = Program { includes: Vec::new(), decls: Vec::new(), main: Some(main) };
        let text = print_program(&program, &names);
        let parsed = parse_program(FileId(0), &text, &mut names);
        prop_assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
        prop_assert_eq!(&parsed.program, &program, "{}", text);
        prop_assert_eq!(print_program(&parsed.program, &names), text);
    }

    #[test]
    fn any_text_is_read(text in "([a-z(){}=;., \n\"'+|&!:-]|let |in |lam |if |then |else |match |with |mexpr |sem |end ){0,60}") {
        parse_program(FileId(0), &text, &mut Names::new());
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, inside, close) in [
        ("(", "1", ")"),
        ("lam x. (", "x", ")"),
        ("f [", "1", "]"),
        ("let x = ", "1", " in x"),
        ("match ", "1", " with x then 1 else 2"),
        ("{x = ", "1", "}"),
        ("if ", "true", " then 1 else 2"),
    ] {
        let deep = 100_000;
        let text = format!("mexpr {}{inside}{}", open.repeat(deep), close.repeat(deep));
        let parsed = parse_program(FileId(0), &text, &mut Names::new());
        assert!(
            parsed.errors.iter().any(|error| error.code == "M0111"),
            "{open}: {:?}",
            parsed.errors.first()
        );
    }
    let text = format!("let x : {}Int = 1", "[".repeat(100_000));
    assert_eq!(parse_program(FileId(0), &text, &mut Names::new()).errors[0].code, "M0111");
    let text = format!("let x = match 1 with {}a then 1 else 2", "!".repeat(100_000));
    assert_eq!(parse_program(FileId(0), &text, &mut Names::new()).errors[0].code, "M0111");
}

#[test]
fn rows_have_no_bound() {
    let many = 4 * MAX_NESTING as usize;
    for (row, end) in [
        ("f x; ", "x"),
        ("let x = 1 in ", "x"),
        ("if x then 1 else ", "2"),
        ("match x with y in ", "y"),
        ("lam x. ", "x"),
        ("f ", "x"),
        ("utest 1 with 1 in ", "()"),
    ] {
        let text = format!("mexpr {}{end}", row.repeat(many));
        let mut names = Names::new();
        let parsed = parse_program(FileId(0), &text, &mut names);
        assert_eq!(parsed.errors, []);
        let printed = print_program(&parsed.program, &names);
        assert_eq!(parse_program(FileId(0), &printed, &mut names).program, parsed.program);
    }
}
