//! Scoped alias metadata, which tells LLVM which memories cannot overlap.
//!
//! Every parameter is a root with a scope of its own; the task's arena is one root (blocks reuse its space after a reset, so
//! arena memories are not distinguished), and the task's context is another. A memory that is set from others has all their
//! roots. Two roots are disjoint unless both are parameters and neither promises `noalias`.

use warpwise_imp::traverse::for_each_op;
use warpwise_imp::{Kernel, KernelParam, Mem, Op, ops};
use warpwise_ir::entity::Entity;

use super::llvm::Module;

/// Metadata for accesses.
pub(super) struct Aliases {
    by_mem: Vec<Access>,
    context: String,
}

struct Access {
    scopes: String,
    /// Whether nothing writes this memory while the kernel runs.
    constant: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Root {
    Param { noalias: bool, read_only: bool },
    Arena,
    Context,
}

/// The roots that a memory may point into, as ascending positions in the table of roots.
type Roots = Vec<usize>;

/// The position of the task's arena in the table of roots.
const ARENA: usize = 0;

impl Aliases {
    pub fn of(kernel: &Kernel, module: &mut Module) -> Aliases {
        let (roots, mut by_mem) = starting_points(kernel);
        while spread(&kernel.body, &mut by_mem) {}
        let domain = module
            .metadata(|own| format!("distinct !{{{own}, !\"{}\"}}", super::kernel_symbol(&kernel.name)));
        let scopes: Vec<String> =
            roots.iter().map(|_| module.metadata(|own| format!("distinct !{{{own}, {domain}}}"))).collect();
        let context = roots.len() - 1;
        Aliases {
            by_mem: by_mem.iter().map(|own| Access::of(own, &roots, &scopes)).collect(),
            context: Access::of(&vec![context], &roots, &scopes).scopes,
        }
    }

    /// Returns the metadata of an access to this memory.
    pub fn access(&self, mem: Mem) -> String {
        self.by_mem[mem.index()].scopes.clone()
    }

    /// Returns the metadata of a load from this memory.
    pub fn load(&self, mem: Mem) -> String {
        let Access { scopes, constant } = &self.by_mem[mem.index()];
        format!("{scopes}{}", if *constant { ", !invariant.load !{}" } else { "" })
    }

    /// Returns the metadata of an access to the task's context.
    pub fn context(&self) -> &str {
        &self.context
    }
}

impl Access {
    fn of(own: &Roots, roots: &[Root], scopes: &[String]) -> Access {
        let disjoint =
            |other: &usize| own.iter().all(|&mine| mine != *other && roots[mine].disjoint(roots[*other]));
        let others: Vec<&str> = (0..roots.len()).filter(disjoint).map(|i| scopes[i].as_str()).collect();
        let mine: Vec<&str> = own.iter().map(|&i| scopes[i].as_str()).collect();
        let constant = own.iter().all(|&i| roots[i] == Root::Param { noalias: true, read_only: true });
        if own.is_empty() {
            // The memory is never set: a null pointer, for which no facts are needed.
            return Access { scopes: String::new(), constant: false };
        }
        let scopes = format!(", !alias.scope !{{{}}}, !noalias !{{{}}}", mine.join(", "), others.join(", "));
        Access { scopes, constant }
    }
}

impl Root {
    fn disjoint(self, other: Root) -> bool {
        match (self, other) {
            (Root::Param { noalias: one, .. }, Root::Param { noalias: two, .. }) => one || two,
            (Root::Param { .. } | Root::Arena | Root::Context, _) => true,
        }
    }
}

/// Returns the table of roots, with the context last, and the roots of each memory before any assignment.
fn starting_points(kernel: &Kernel) -> (Vec<Root>, Vec<Roots>) {
    let mut roots = vec![Root::Arena];
    let mut by_mem = vec![Roots::new(); kernel.mems.len()];
    for param in &kernel.params {
        if let KernelParam::Memory { mem, noalias, read_only } = *param {
            by_mem[mem.index()].push(roots.len());
            roots.push(Root::Param { noalias, read_only });
        }
    }
    roots.push(Root::Context);
    (roots, by_mem)
}

/// Propagates roots along assignments; returns whether anything changed.
fn spread(block: &[Op], by_mem: &mut [Roots]) -> bool {
    let mut changed = false;
    for_each_op(block, &mut |op| match op {
        Op::SetMem { dst, src } => {
            let from = by_mem[src.index()].clone();
            changed |= join(&mut by_mem[dst.index()], &from);
        }
        Op::ArenaAlloc { dst, .. } => changed |= join(&mut by_mem[dst.index()], &[ARENA]),
        ops!(value, lane, access, ArenaMark, ArenaReset, control, Fail, flag, group, host) => {}
    });
    changed
}

fn join(roots: &mut Roots, more: &[usize]) -> bool {
    let before = roots.len();
    roots.extend_from_slice(more);
    roots.sort_unstable();
    roots.dedup();
    roots.len() > before
}
