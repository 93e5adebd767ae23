//! Takes the lanes away: what would run in lanes runs one value at a time.
//!
//! ```text
//! segmap (i < n: task lane) {...}   ==>   segmap (i < n: task) {...}
//! segred (j < m: lane) {...}        ==>   segred (j < m: seq) {...}
//! ```
//!
//! For a build without vectors, to measure what they bring. Runs right after `schedule`.

use warpwise_diag::Limit;
use warpwise_ir::{Body, Expr, Mapping, Program};

/// Takes the lanes away in every function.
pub fn scalarise(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        walk(&mut function.body);
    }
    Ok(())
}

fn walk(body: &mut Body) {
    for stm in &mut body.stms {
        if let Expr::Seg(op) = &mut stm.expr {
            for dim in &mut op.space {
                dim.mapping = match dim.mapping {
                    Mapping::TaskLane => Mapping::Task,
                    Mapping::Lane => Mapping::Seq,
                    other @ (Mapping::Task
                    | Mapping::Seq
                    | Mapping::Grid
                    | Mapping::Group
                    | Mapping::Thread) => other,
                };
            }
        }
        stm.expr.for_each_body_mut(walk);
    }
}
