//! The allowed mappings of the dimensions of nested index spaces.
//!
//! Along a nest, dimensions outermost first, CPU mappings and GPU mappings are never mixed. On the CPU, `task` dimensions may
//! nest, and a lane dimension (`lane`, `task lane`) is the innermost parallel one. On a GPU, `group` occurs only within `grid`,
//! and `thread` only alone (in one space, any number of `thread` dimensions). `seq` is allowed anywhere.

use super::{Checked, Report};
use crate::expr::{Expr, Stm};
use crate::program::Function;
use crate::segop::{Mapping, SegOp};
use crate::traverse::Visitor;

/// Checks every nest of a function.
pub(super) fn check<'a>(function: &'a Function, report: &mut Report<'a>) {
    let mut checker = Mappings { nest: Nest::Host, wrong: Vec::new() };
    checker.body(&function.body);
    for (stm, reason) in checker.wrong {
        report.add(Some(stm), reason);
    }
}

/// The innermost enclosing parallel dimension.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nest {
    /// No parallel dimension.
    Host,
    /// CPU tasks.
    Task,
    /// CPU lanes.
    Lane,
    /// GPU work-groups.
    Grid,
    /// The work-items of a GPU work-group.
    Group,
    /// GPU work-items over the grid.
    Thread,
}

struct Mappings<'a> {
    nest: Nest,
    wrong: Vec<(&'a Stm, String)>,
}

impl<'a> Visitor<'a> for Mappings<'a> {
    fn stm(&mut self, stm: &'a Stm) {
        let outside = self.nest;
        if let Expr::Seg(op) = &stm.expr
            && let Err(reason) = self.enter(op)
        {
            self.wrong.push((stm, reason));
        }
        self.walk_stm(stm);
        self.nest = outside;
    }
}

impl Mappings<'_> {
    fn enter(&mut self, op: &SegOp) -> Checked {
        let mut same_space = false;
        for dim in &op.space {
            let inner = match dim.mapping {
                Mapping::Seq => continue,
                Mapping::Task => Nest::Task,
                Mapping::Lane | Mapping::TaskLane => Nest::Lane,
                Mapping::Grid => Nest::Grid,
                Mapping::Group => Nest::Group,
                Mapping::Thread => Nest::Thread,
            };
            let threads = same_space && self.nest == Nest::Thread && inner == Nest::Thread;
            if !threads {
                self.nests(inner)?;
            }
            self.nest = inner;
            same_space = true;
        }
        Ok(())
    }

    /// Checks that a dimension may occur inside the enclosing ones.
    fn nests(&self, inner: Nest) -> Checked {
        let allowed = match (self.nest, inner) {
            (Nest::Host, Nest::Group) => false,
            (Nest::Host, _) | (Nest::Task, Nest::Task | Nest::Lane) => true,
            (Nest::Grid, Nest::Grid | Nest::Group) | (Nest::Group, Nest::Group) => true,
            (Nest::Task | Nest::Lane | Nest::Grid | Nest::Group | Nest::Thread, _) => false,
        };
        if allowed {
            return Ok(());
        }
        Err(match inner {
            Nest::Group => "`group` stands only within `grid`".to_string(),
            Nest::Host | Nest::Task | Nest::Lane | Nest::Grid | Nest::Thread => {
                format!("a {} dimension within a {} dimension", describe(inner), describe(self.nest))
            }
        })
    }
}

fn describe(nest: Nest) -> &'static str {
    match nest {
        Nest::Host => "host",
        Nest::Task => "task",
        Nest::Lane => "lane",
        Nest::Grid => "grid",
        Nest::Group => "group",
        Nest::Thread => "thread",
    }
}
