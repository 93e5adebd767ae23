//! Arrays that come out of choices and loops.

use warpwise_diag::{Limit, Span};
use warpwise_ir::{Body, Branch, Expr, LoopForm, LoopParam, Operand, Placement, SliceDim, Stm, Type, Var};

use super::Placer;

/// A statement whose certificates and span the caller fills in.
fn stm(pattern: Vec<Var>, expr: Expr) -> Stm {
    Stm { pattern, expr, certs: vec![], span: Span::NONE }
}

impl Placer<'_> {
    /// Places a choice. An array that both bodies leave at one place stays there; any other comes out in
    /// a block of its own, bound with it, row-major from the start on.
    pub(super) fn choice(
        &mut self,
        pattern: Vec<Var>,
        cond: Operand,
        bodies: [Body; 2],
        branch: Branch,
    ) -> Result<Stm, Limit> {
        let wanted: Vec<Option<Placement>> = pattern.iter().map(|&var| self.wishes[var].clone()).collect();
        let mut open = Vec::with_capacity(2);
        for body in bodies {
            self.emit.open();
            self.wish_results(&body, &wanted);
            let result = self.stms_of(body)?;
            open.push(Body { stms: self.emit.close(), result });
        }
        let mut else_body = open.pop().expect("two bodies");
        let mut then_body = open.pop().expect("two bodies");
        let mut blocks = Vec::new();
        for (position, &var) in pattern.iter().enumerate() {
            if self.emit.function.ty(var).rank() == 0 {
                continue;
            }
            let results = [then_body.result[position], else_body.result[position]];
            let [then_place, else_place] =
                results.map(|result| self.placement(result.as_var().expect("an array")));
            if then_place == else_place {
                self.set(var, then_place);
                continue;
            }
            let block = self.emit.function.fresh("mem", Type::Mem);
            let shape = self.shape(var);
            let index_fn = self.emit.row_major(&shape);
            self.set(var, Placement { block, index_fn });
            blocks.push((block, position));
        }
        for body in [&mut then_body, &mut else_body] {
            self.yield_blocks(body, &blocks);
        }
        let pattern = blocks.iter().map(|&(block, _)| block).chain(pattern).collect();
        Ok(stm(pattern, Expr::If { cond, then_body, else_body, branch }))
    }

    /// Normalises the results at these positions and yields their blocks first.
    fn yield_blocks(&mut self, body: &mut Body, blocks: &[(Var, usize)]) {
        self.emit.open();
        let mut result = Vec::with_capacity(blocks.len() + body.result.len());
        for &(_, position) in blocks {
            let array = self.normalised(body.result[position]);
            body.result[position] = array;
            result.push(self.placement(array.as_var().expect("an array")).block.into());
        }
        body.stms.extend(self.emit.close());
        result.append(&mut body.result);
        body.result = result;
    }

    /// Places a loop: arrays it overwrites stay where they are, others change blocks (host) or are
    /// copied back (kernels).
    pub(super) fn repetition(
        &mut self,
        pattern: Vec<Var>,
        mut params: Vec<LoopParam>,
        form: LoopForm,
        body: Body,
    ) -> Result<Stm, Limit> {
        let mut changing = Vec::new();
        for (position, (&var, param)) in pattern.iter().zip(&mut params).enumerate() {
            if self.emit.function.ty(var).rank() == 0 {
                continue;
            }
            let init = param.init.as_var().expect("an array");
            if self.roots.loop_in_place(param, body.result[position]) {
                let placement = self.placement(init);
                self.set(param.var, placement.clone());
                self.set(var, placement);
            } else {
                changing.push(position);
            }
        }
        let sizes_vary = changing.iter().any(|&position| self.size_varies(params[position].var, &params));
        if self.depth > 0 && !sizes_vary {
            return self.copied_back(pattern, params, form, body, &changing);
        }
        self.changing_blocks(pattern, params, form, body, &changing)
    }

    fn size_varies(&self, array: Var, params: &[LoopParam]) -> bool {
        let shape = self.emit.function.ty(array).shape();
        shape.iter().any(|size| params.iter().any(|param| *size == Operand::Var(param.var)))
    }

    /// Loop-carried arrays whose block changes from iteration to iteration.
    fn changing_blocks(
        &mut self,
        pattern: Vec<Var>,
        mut params: Vec<LoopParam>,
        form: LoopForm,
        body: Body,
        changing: &[usize],
    ) -> Result<Stm, Limit> {
        let mut block_params = Vec::new();
        let mut blocks = Vec::new();
        for &position in changing {
            let init = self.normalised(params[position].init);
            let init_block = self.placement(init.as_var().expect("an array")).block;
            params[position].init = init;
            let block = self.emit.function.fresh("mem", Type::Mem);
            block_params.push(LoopParam { var: block, init: init_block.into(), consumed: false });
            // Sizes may be loop parameters themselves, so the strides are computed where they are in scope.
            blocks.push((self.emit.function.fresh("mem", Type::Mem), position));
        }
        self.emit.open();
        for (block, &position) in block_params.iter().zip(changing) {
            let param = params[position].var;
            let shape = self.shape(param);
            let index_fn = self.emit.row_major(&shape);
            self.set(param, Placement { block: block.var, index_fn });
        }
        let result = self.stms_of(body)?;
        let mut body = Body { stms: self.emit.close(), result };
        self.yield_blocks(&mut body, &blocks);
        for &(block, position) in &blocks {
            let shape = self.shape(pattern[position]);
            let index_fn = self.emit.row_major(&shape);
            self.set(pattern[position], Placement { block, index_fn });
        }
        let pattern = blocks.iter().map(|&(block, _)| block).chain(pattern).collect();
        block_params.append(&mut params);
        Ok(stm(pattern, Expr::Loop { params: block_params, form, body }))
    }

    /// Loop-carried arrays that are copied back to one place at the end of every iteration.
    fn copied_back(
        &mut self,
        pattern: Vec<Var>,
        mut params: Vec<LoopParam>,
        form: LoopForm,
        body: Body,
        changing: &[usize],
    ) -> Result<Stm, Limit> {
        let span = self.emit.span;
        for &position in changing {
            let (var, param) = (pattern[position], &mut params[position]);
            self.wishes[param.var] = self.wishes[var].take();
            self.allocate(param.var);
            let placement = self.placement(param.var);
            let init = self.emit.function.fresh_like(param.var);
            let from = param.init.as_var().expect("an array");
            self.emit.push(Stm { span, ..stm(vec![init], Expr::Copy(from)) });
            self.set(init, placement.clone());
            self.set(var, placement);
            *param = LoopParam { init: init.into(), consumed: true, ..*param };
        }
        self.emit.open();
        let mut result = self.stms_of(body)?;
        // Two passes: no result may be overwritten before it has been saved.
        for &position in changing {
            let place = self.placement(params[position].var);
            let array = result[position].as_var().expect("an array");
            let lies_in_a_param = changing.iter().any(|&other| {
                other != position && self.placement(params[other].var).block == self.placement(array).block
            });
            if lies_in_a_param
                || (self.placement(array).block == place.block && self.placement(array) != place)
            {
                result[position] = self.copy(array).into();
            }
        }
        for &position in changing {
            let (param, value) = (params[position].var, result[position]);
            let updated = self.emit.function.fresh_like(param);
            let whole =
                |&len: &Operand| SliceDim::Range { start: Operand::i64(0), len, stride: Operand::i64(1) };
            let dims = self.shape(param).iter().map(whole).collect();
            self.emit.push(Stm { span, ..stm(vec![updated], Expr::Update { array: param, dims, value }) });
            result[position] = updated.into();
        }
        let body = Body { stms: self.emit.close(), result };
        Ok(stm(pattern, Expr::Loop { params, form, body }))
    }
}
