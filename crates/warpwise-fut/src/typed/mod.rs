//! The typed tree: a fully resolved program.
//!
//! The checker makes it from the syntax tree; lowering reads it. Read in this order: [`ty`] (types and sizes), [`tree`]
//! (definitions, patterns, expressions), [`intrinsic`] (operations that the compiler provides), [`map`] (substitution).
//!
//! The tree resolves the following:
//! - **Names.** There are no modules. Every definition, including one inside a module, has a [`DefId`](ids::DefId). A parametric
//!   module is checked anew for each application, so its definitions occur once per application. Every name bound inside a
//!   definition has a [`LocalId`](ids::LocalId), unique in the whole program.
//! - **Order.** A definition mentions only earlier definitions, and itself if it is recursive.
//! - **Types.** Every expression and pattern has its type with sizes. Type abbreviations are expanded. A sealed type is
//!   [`Type::Abstract`](ty::Type::Abstract); [`Program::abstracts`](tree::Program::abstracts) has its definition.
//! - **Polymorphism.** Every use of a definition, intrinsic or local function carries its type and size arguments, in the order
//!   of the [`Scheme`](tree::Scheme). Size parameters of a function are locals of type `i64`.
//! - **Overloading.** Literals and operators have one scalar type; operators are calls of intrinsics or of definitions. `&&` and
//!   `||` are `if`s.
//! - **Sugar.** Sections and eta-expanded operators are lambdas; `x |> f` and `f <| x` are applications if the operators
//!   are those of the prelude; `let x[i] = e` is an update and a `let`; record updates are records; `e : t` is `e`.
//!
//! Existential sizes. Where an expression has a size that was not known before (a `filter`, branches of different lengths, a size
//! leaving its scope), it is wrapped in [`Open`](tree::ExprKind::Open): evaluate the body, then bind each listed local to the
//! extent at which it occurs in the type of the `Open` node. Each local occurs somewhere as a whole extent. The locals are in
//! scope in everything that is evaluated later, up to the end of the enclosing binding body (branch, lambda, `let` body, loop
//! body, definition). Arguments of an application are evaluated last to first, and the function after them.
//!
//! ```text
//! def pairs [n] (xs: [n]i64) (p: i64 -> bool) =
//!   let ys = filter p xs
//!   in zip ys (indices ys)
//! ```
//!
//! becomes (locals `n#0 xs#1 p#2 ys#3 k#4 k'#5`; `[n#0]` on the left are the scheme's sizes)
//!
//! ```text
//! def pairs [n#0] (xs#1: [n#0]i64) (p#2: i64 -> bool) : ?[k'#5].[k'#5](i64, i64) =
//!   open [k'#5]                                                            -- k leaves the scope of its `let`
//!     let ys#3: [k#4]i64 = open [k#4] (filter{types i64, sizes n#0} p#2 xs#1)
//!     in (zip{types i64 i64, sizes k#4}: [k#4]i64 -> [k#4]i64 -> [k#4](i64, i64))
//!          ys#3 (indices{types i64, sizes k#4} ys#3)
//! ```
//!
//! Sizes are compared by structure and without arithmetic, so none of the above needs a run-time check. Run-time checks are
//! implied by their nodes, whose spans are to be reported: `Index` and `Update` (bounds; extent of a written slice), `Range`,
//! `Coerce`, `Assert`, divisions, and the sizes of an entry point's arguments.

pub mod ids;
pub mod intrinsic;
pub mod map;
pub mod tree;
pub mod ty;
pub mod walk;
