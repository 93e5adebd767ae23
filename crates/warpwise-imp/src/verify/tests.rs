//! Code that is well-formed, and code that each check refuses.

use warpwise_prim::{BinaryOp, Scalar};

use super::*;
use crate::program::{Group, Kernel, LocalArray};

/// Returns a kernel with an `i64`, a vector, a mask and a memory, and this body.
fn kernel(body: impl FnOnce(Reg, Reg, Reg, Mem) -> Vec<Op>) -> ImpProgram {
    let mut regs = PrimaryMap::new();
    let reg = |ty| RegData { ty, name: String::new() };
    let lo = regs.push(reg(ImpType::scalar(ScalarType::I64)));
    let hi = regs.push(reg(ImpType::scalar(ScalarType::I64)));
    let vector = regs.push(reg(ImpType::vector(ScalarType::F32, 8)));
    let mask = regs.push(reg(ImpType::vector(ScalarType::Bool, 8)));
    let mut mems = PrimaryMap::new();
    let mem = mems.push(MemData::new(Space::Global, ""));
    let body = body(lo, vector, mask, mem);
    let span = warpwise_diag::Span::NONE;
    let mut program = ImpProgram::default();
    program.kernels.push(Kernel {
        name: "k".to_string(),
        params: vec![],
        regs,
        mems,
        lo,
        hi,
        group: None,
        body,
        span,
        places: Vec::new(),
        doubles: None,
    });
    program
}

#[test]
fn accepts_what_is_right_and_refuses_what_is_not() {
    let add = |dst: Reg, x: Operand, y: Operand| Op::Binary { dst, op: BinaryOp::FAdd, x, y };
    let one = Operand::Const(Scalar::F32(1.0));
    assert_eq!(verify(&kernel(|_, v, _, _| vec![add(v, v.into(), one)])), Ok(()));
    assert!(verify(&kernel(|i, v, _, _| vec![add(v, v.into(), i.into())])).is_err());
    assert!(verify(&kernel(|i, _, _, _| vec![add(i, i.into(), i.into())])).is_err());
    let load = |dst, mem, index: Reg, mask: Reg| Op::Load {
        dst,
        mem,
        index: index.into(),
        mask: Some(mask.into()),
        ahead: None,
    };
    assert_eq!(verify(&kernel(|i, v, m, mem| vec![load(v, mem, i, m)])), Ok(()));
    assert!(verify(&kernel(|i, _, m, mem| vec![load(i, mem, i, m)])).is_err());
    let ahead = |dst, mem, index| Op::Load { dst, mem, index, mask: None, ahead: Some(Operand::i64(64)) };
    assert_eq!(verify(&kernel(|i, v, _, mem| vec![ahead(v, mem, i.into())])), Ok(()));
    let gathered = verify(&kernel(|_, v, _, mem| vec![ahead(v, mem, v.into())]));
    assert!(format!("{gathered:?}").contains("a gather that looks ahead"), "{gathered:?}");
    let leave = |label| Op::Leave { label: Label(label) };
    let scope = |inner| vec![Op::Scope { label: Label(1), body: vec![inner] }];
    assert_eq!(verify(&kernel(|_, _, _, _| scope(leave(1)))), Ok(()));
    assert!(verify(&kernel(|_, _, _, _| scope(leave(2)))).is_err());
    assert!(verify(&kernel(|i, _, _, mem| vec![Op::Alloc { dst: mem, bytes: i.into() }])).is_err());
}

#[test]
fn barriers_and_local_memory_belong_to_work_groups() {
    let mut program = kernel(|_, _, _, _| vec![Op::Barrier]);
    assert!(verify(&program).is_err());
    let own = program.kernels.values_mut().next().expect("a kernel");
    let mem = own.mems.push(MemData::new(Space::Local, "staged"));
    let local = vec![LocalArray { mem, elem: ScalarType::F32, count: Operand::i64(8) }];
    own.group = Some(Group { size: 8, item: own.lo, local });
    assert_eq!(verify(&program), Ok(()));
    // The number of elements must be a constant or a parameter, and nothing else.
    let own = program.kernels.values_mut().next().expect("a kernel");
    let count = own.lo.into();
    own.group.as_mut().expect("a group").local[0].count = count;
    assert!(verify(&program).is_err());
    let own = program.kernels.values_mut().next().expect("a kernel");
    own.group.as_mut().expect("a group").local[0].count = Operand::i64(-1);
    assert!(verify(&program).is_err());
    let own = program.kernels.values_mut().next().expect("a kernel");
    own.group.as_mut().expect("a group").local[0].count = Operand::i64(8);
    own.mems.push(MemData::new(Space::Local, "stray"));
    assert!(verify(&program).is_err());
}
