//! Erases memory (papers/002, Figure 9): turns a program of level `mem` into one of level `seg`.

use warpwise_ir::{Body, Expr, Function, Operand, Program, Type, Var};

/// Removes placements, blocks and all code that only passes blocks on.
pub fn erase_memory(program: &mut Program) {
    for function in program.functions.values_mut() {
        let mut body = std::mem::take(&mut function.body);
        erase_body(function, &mut body);
        let kept: Vec<bool> = body.result.iter().map(|&x| !is_block(function, x)).collect();
        retain(&mut body.result, &kept);
        if function.results.len() == kept.len() {
            retain(&mut function.results, &kept);
        }
        function.body = body;
        let params = std::mem::take(&mut function.params);
        function.params = params.into_iter().filter(|param| *function.ty(param.var) != Type::Mem).collect();
        for data in function.vars.values_mut() {
            data.placement = None;
        }
    }
}

fn is_block(function: &Function, operand: Operand) -> bool {
    operand.as_var().is_some_and(|var| *function.ty(var) == Type::Mem)
}

fn retain<T>(list: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    list.retain(|_| *kept.next().unwrap_or(&true));
}

fn erase_body(function: &Function, body: &mut Body) {
    body.stms.retain(|stm| !matches!(stm.expr, Expr::Alloc { .. }));
    for stm in &mut body.stms {
        stm.expr.for_each_body_mut(|body| erase_body(function, body));
        let kept: Vec<bool> = stm.pattern.iter().map(|&var| !is_block(function, Var::into(var))).collect();
        match &mut stm.expr {
            Expr::If { then_body, else_body, .. } => {
                retain(&mut then_body.result, &kept);
                retain(&mut else_body.result, &kept);
            }
            Expr::Loop { params, body, .. } => {
                retain(params, &kept);
                retain(&mut body.result, &kept);
            }
            Expr::Call { args, .. } => args.retain(|&arg| !is_block(function, arg)),
            _ => {}
        }
        retain(&mut stm.pattern, &kept);
    }
}
