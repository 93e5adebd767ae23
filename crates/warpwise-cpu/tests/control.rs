//! Control flow, lanes, failures, arenas and flags; and refused programs.

mod common;

use common::{KernelBuilder, Machine, Reported, bug, program, store, targets};
use warpwise_cpu::{CompileOptions, Object, compile, emit_asm, emit_llvm_ir, load};
use warpwise_imp::{CheckId, CpuTarget, Kernel, Label, Mem, Op, Operand, Reg, Space};
use warpwise_ir::entity::Entity;
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

const I64: ScalarType = ScalarType::I64;

fn add(dst: Reg, x: impl Into<Operand>, y: impl Into<Operand>) -> Op {
    Op::Binary { dst, op: BinaryOp::Add, x: x.into(), y: y.into() }
}

fn less(dst: Reg, x: impl Into<Operand>, y: impl Into<Operand>) -> Op {
    Op::Compare { dst, op: CompareOp::SLt, x: x.into(), y: y.into() }
}

fn here() -> CpuTarget {
    targets().swap_remove(0)
}

/// Runs one kernel whose last argument is `out`, with scalars before it; returns the contents of `out`.
fn results<const N: usize>(kernel: Kernel, scalars: &[i64]) -> [i64; N] {
    let machine = Machine::new(vec![kernel], &here());
    let mut out = [-1; N];
    let mut args: Vec<u64> = scalars.iter().map(|&x| x as u64).collect();
    args.push(out.as_mut_ptr() as u64);
    machine.run(0, &args, 1);
    out
}

fn store_at(out: Mem, place: i64, value: impl Into<Operand>) -> Op {
    store(out, Operand::i64(place), value.into(), I64)
}

// -- loops -----------------------------------------------------------------------------------

/// Returns the number of iterations of a loop over `ty`, and the sum of its indices.
fn counted(ty: ScalarType, from: i64, to: i64, step: i64) -> [i64; 2] {
    let mut k = KernelBuilder::new("count");
    let bounds = [k.scalar_param(ty), k.scalar_param(ty)];
    let out = k.output();
    let (index, wide, sum, count) = (k.reg(ty, 1), k.reg(I64, 1), k.reg(I64, 1), k.reg(I64, 1));
    let body = vec![
        Op::Convert { dst: wide, op: warpwise_prim::ConvertOp::SExt, from: ty, x: index.into() },
        add(sum, sum, wide),
        add(count, count, Operand::i64(1)),
    ];
    let kernel = k.finish(vec![
        Op::For { index, from: bounds[0].into(), to: bounds[1].into(), step, body },
        store_at(out, 0, count),
        store_at(out, 1, sum),
    ]);
    results(kernel, &[from, to])
}

#[test]
fn loops_count_from_first_to_last() {
    for (ty, from, to, step) in [
        (I64, 0, 0, 1),
        (I64, 5, 5, 3),
        (I64, 5, -5, 1),
        (I64, 0, 1, 1),
        (I64, -7, 12, 1),
        (I64, -7, 12, 4),
        (I64, 0, 100, 16),
        (ScalarType::I32, i32::MAX as i64 - 5, i32::MAX as i64, 1),
        (ScalarType::I32, i32::MAX as i64 - 50, i32::MAX as i64, 16),
        (ScalarType::I32, i32::MIN as i64, i32::MIN as i64 + 3, 2),
        (ScalarType::I8, -128, 127, 1),
        (ScalarType::I8, -128, 127, 100),
    ] {
        let indices = || (from..to).step_by(step as usize);
        let expected = [indices().count() as i64, indices().sum()];
        assert_eq!(counted(ty, from, to, step), expected, "{ty} {from}..{to} step {step}");
    }
}

#[test]
fn bounds_of_loops_are_read_once() {
    let mut k = KernelBuilder::new("bounds");
    let (end, out) = (k.scalar_param(I64), k.output());
    let (index, count) = (k.reg(I64, 1), k.reg(I64, 1));
    let body = vec![add(end, end, Operand::i64(1)), add(count, count, Operand::i64(1))];
    let kernel = k.finish(vec![
        Op::For { index, from: Operand::i64(0), to: end.into(), step: 1, body },
        store_at(out, 0, count),
        store_at(out, 1, end),
    ]);
    assert_eq!(results(kernel, &[6]), [6, 12]);
}

/// Steps of the Collatz iteration, by a `while` with an `if` in it.
#[test]
fn while_and_if_run_until_the_condition_fails() {
    let mut k = KernelBuilder::new("collatz");
    let (n, out) = (k.scalar_param(I64), k.output());
    let (steps, odd, tripled) = (k.reg(I64, 1), k.reg(I64, 1), k.reg(I64, 1));
    let (goes_on, is_odd) = (k.reg(ScalarType::Bool, 1), k.reg(ScalarType::Bool, 1));
    let body = vec![
        Op::Binary { dst: odd, op: BinaryOp::SMod, x: n.into(), y: Operand::i64(2) },
        less(is_odd, Operand::i64(0), odd),
        Op::If {
            cond: is_odd.into(),
            then_block: vec![
                Op::Binary { dst: tripled, op: BinaryOp::Mul, x: n.into(), y: Operand::i64(3) },
                add(n, tripled, Operand::i64(1)),
            ],
            else_block: vec![Op::Binary { dst: n, op: BinaryOp::SDiv, x: n.into(), y: Operand::i64(2) }],
        },
        add(steps, steps, Operand::i64(1)),
    ];
    let test = vec![less(goes_on, Operand::i64(1), n)];
    let kernel = k.finish(vec![Op::While { test, cond: goes_on.into(), body }, store_at(out, 0, steps)]);
    assert_eq!(results(kernel.clone(), &[27]), [111]);
    assert_eq!(results(kernel, &[1]), [0]);
}

/// Leaves two nested scopes at once from within a loop; operations after a leave are not run.
#[test]
fn leaving_continues_after_the_named_scope() {
    let mut k = KernelBuilder::new("leave");
    let (limit, out) = (k.scalar_param(I64), k.output());
    let (index, inner, outer) = (k.reg(I64, 1), k.reg(I64, 1), k.reg(I64, 1));
    let reached = k.reg(ScalarType::Bool, 1);
    let leave = vec![Op::Leave { label: Label(0) }, add(inner, inner, Operand::i64(1000))];
    let body = vec![
        less(reached, limit, index),
        Op::If { cond: reached.into(), then_block: leave, else_block: vec![] },
        add(inner, inner, Operand::i64(1)),
    ];
    let first = Op::For { index, from: Operand::i64(0), to: Operand::i64(10), step: 1, body };
    let nested = Op::Scope { label: Label(1), body: vec![first] };
    let kernel = k.finish(vec![
        Op::Scope { label: Label(0), body: vec![nested, add(outer, outer, Operand::i64(1))] },
        store_at(out, 0, inner),
        store_at(out, 1, outer),
    ]);
    assert_eq!(results(kernel.clone(), &[3]), [4, 0]);
    assert_eq!(results(kernel, &[50]), [10, 1]);
}

// -- lanes -----------------------------------------------------------------------------------

/// Computes any, all, count and first for a mask of 8 lanes given as bits.
#[test]
fn masks_are_summed_up() {
    let mut k = KernelBuilder::new("masks");
    let (bits, out) = (k.scalar_param(I64), k.output());
    let (ids, shifted, low) = (k.reg(I64, 8), k.reg(I64, 8), k.reg(I64, 8));
    let (mask, any, all) =
        (k.reg(ScalarType::Bool, 8), k.reg(ScalarType::Bool, 1), k.reg(ScalarType::Bool, 1));
    let (count, first, one) = (k.reg(I64, 1), k.reg(I64, 1), k.reg(I64, 1));
    let flag = |dst, x: Reg| Op::Select { dst, cond: x.into(), x: Operand::i64(1), y: Operand::i64(0) };
    let kernel = k.finish(vec![
        Op::LaneIds { dst: ids },
        Op::Binary { dst: shifted, op: BinaryOp::LShr, x: bits.into(), y: ids.into() },
        Op::Binary { dst: low, op: BinaryOp::And, x: shifted.into(), y: Operand::i64(1) },
        less(mask, Operand::i64(0), low),
        Op::Any { dst: any, mask: mask.into() },
        Op::All { dst: all, mask: mask.into() },
        Op::Count { dst: count, mask: mask.into() },
        flag(one, any),
        store_at(out, 0, one),
        flag(one, all),
        store_at(out, 1, one),
        store_at(out, 2, count),
        Op::If {
            cond: any.into(),
            then_block: vec![Op::First { dst: first, mask: mask.into() }, store_at(out, 3, first)],
            else_block: vec![],
        },
    ]);
    let machine = Machine::new(vec![kernel], &here());
    for bits in 0..256_i64 {
        let mut out = [-1_i64; 4];
        machine.run(0, &[bits as u64, out.as_mut_ptr() as u64], 1);
        let first = if bits == 0 { -1 } else { bits.trailing_zeros() as i64 };
        assert_eq!(out, [(bits != 0) as i64, (bits == 255) as i64, bits.count_ones() as i64, first]);
    }
}

#[test]
fn lanes_are_moved() {
    let mut k = KernelBuilder::new("lanes");
    let (lane, out) = (k.scalar_param(I64), k.output());
    let (ids, picked, reversed, wide) = (k.reg(I64, 4), k.reg(I64, 1), k.reg(I64, 4), k.reg(I64, 8));
    let kernel = k.finish(vec![
        Op::LaneIds { dst: ids },
        Op::Insert { dst: ids, x: Operand::i64(40), lane: lane.into() },
        Op::Extract { dst: picked, x: ids.into(), lane: lane.into() },
        Op::Shuffle { dst: reversed, x: ids.into(), y: ids.into(), lanes: vec![3, 2, 1, 0] },
        Op::Shuffle {
            dst: wide,
            x: reversed.into(),
            y: Operand::i64(7),
            lanes: vec![0, 4, 1, 5, 2, 6, 3, 7],
        },
        store_at(out, 0, wide),
        store_at(out, 8, picked),
        Op::Shuffle { dst: picked, x: ids.into(), y: reversed.into(), lanes: vec![5] },
        store_at(out, 9, picked),
    ]);
    assert_eq!(results(kernel, &[2]), [3, 7, 40, 7, 1, 7, 0, 7, 40, 40]);
}

// -- the surroundings ------------------------------------------------------------------------

#[test]
fn failures_carry_iteration_and_values_and_the_kernel_goes_on() {
    let mut k = KernelBuilder::new("fail");
    let (x, out) = (k.scalar_param(ScalarType::F32), k.output());
    let values = vec![x.into(), Operand::Const(Scalar::I8(-1)), Operand::Const(Scalar::Bool(true))];
    let kernel = k.finish(vec![
        Op::Fail { check: CheckId::new(3), iteration: Operand::i64(42), values },
        Op::Fail { check: CheckId::new(4), iteration: Operand::i64(1), values: vec![] },
        store_at(out, 0, Operand::i64(5)),
    ]);
    let machine = Machine::new(vec![kernel], &here());
    let mut out = 0_i64;
    let around = machine.run(0, &[1.5_f32.to_bits().into(), &raw mut out as u64], 1);
    let expected = [
        Reported { check: 3, iteration: 42, values: vec![1.5_f32.to_bits().into(), 0xff, 1] },
        Reported { check: 4, iteration: 1, values: vec![] },
    ];
    assert_eq!((around.failures.as_slice(), out), (expected.as_slice(), 5));
}

/// Builds a kernel that allocates and fills a block per iteration and sums it up; with or without releasing it.
fn arena_kernel(reset: bool) -> Kernel {
    let mut k = KernelBuilder::new("arena");
    let (size, out) = (k.scalar_param(I64), k.output());
    let (block, other) = (k.mem(Space::Arena), k.mem(Space::Arena));
    let [index, inner, value, sum, mark] = [(); 5].map(|()| k.reg(I64, 1));
    let bytes = k.reg(I64, 1);
    let fill = vec![store(block, inner.into(), inner.into(), I64)];
    let clear = vec![store(other, inner.into(), Operand::i64(-1), I64)];
    let read = vec![
        Op::Load { dst: value, mem: block, index: inner.into(), mask: None, ahead: None },
        add(sum, sum, value),
    ];
    let over = |body| Op::For { index: inner, from: Operand::i64(0), to: size.into(), step: 1, body };
    let mut body = vec![
        Op::ArenaMark { dst: mark },
        Op::ArenaAlloc { dst: block, bytes: bytes.into() },
        Op::ArenaAlloc { dst: other, bytes: bytes.into() },
        over(fill),
        over(clear),
        over(read),
    ];
    if reset {
        body.push(Op::ArenaReset { mark: mark.into() });
    }
    k.finish(vec![
        Op::Binary { dst: bytes, op: BinaryOp::Mul, x: size.into(), y: Operand::i64(8) },
        Op::For { index, from: Operand::i64(0), to: Operand::i64(20), step: 1, body },
        store_at(out, 0, sum),
    ])
}

#[test]
fn arena_blocks_do_not_overlap_and_are_reused_after_a_reset() {
    for reset in [false, true] {
        let machine = Machine::new(vec![arena_kernel(reset)], &here());
        for size in [0, 1, 7, 8, 100, 513] {
            let mut out = -1_i64;
            let around = machine.run(0, &[size as u64, &raw mut out as u64], 1);
            assert_eq!(out, 20 * size * (size - 1) / 2, "{size}");
            assert!(around.grown >= 1 || size == 0);
            if reset {
                assert!(around.grown <= 40, "{size}");
            } else if size == 8 {
                assert!(around.grown < 10, "small blocks come from the chunk at hand");
            }
        }
    }
}

#[test]
fn the_kernel_returns_when_the_arena_is_exhausted() {
    let machine = Machine::new(vec![arena_kernel(false)], &here());
    let mut out = -1_i64;
    let mut around = machine.run(0, &[0, &raw mut out as u64], 1);
    around.out_of_memory = true;
    out = -1;
    machine.run_in(&mut around, 0, &[8, &raw mut out as u64], 1);
    assert_eq!(out, -1);
    out = -1;
    machine.run_in(&mut around, 0, &[i64::MAX as u64 / 8, &raw mut out as u64], 1);
    assert_eq!(out, -1);
}

#[test]
fn flags_are_set_and_waited_for() {
    let mut k = KernelBuilder::new("flags");
    let flags = k.output();
    let kernel = k.finish(vec![
        Op::WaitFlag { mem: flags, index: Operand::i64(1) },
        Op::SetFlag { mem: flags, index: Operand::i64(2) },
    ]);
    let machine = Machine::new(vec![kernel], &here());
    let mut flags = [0_u32, 1, 0];
    assert_eq!(machine.run(0, &[flags.as_mut_ptr() as u64], 1).waited, 0);
    assert_eq!(flags, [0, 1, 1]);
    flags = [0, 0, 0];
    assert_eq!(machine.run(0, &[flags.as_mut_ptr() as u64], 1).waited, 1);
}

// -- objects ---------------------------------------------------------------------------------

/// Builds `count` kernels that sum over the range, under different names.
fn sums(count: usize) -> Vec<Kernel> {
    let sum = |number| {
        let mut k = KernelBuilder::new(&format!("sum/{number} \"ü\""));
        let (input, out) = (k.input(), k.output());
        let (index, value, total) = (k.reg(I64, 1), k.reg(I64, 1), k.reg(I64, 1));
        let (from, to) = (k.lo.into(), k.hi.into());
        let body = vec![
            Op::Load { dst: value, mem: input, index: index.into(), mask: None, ahead: None },
            add(total, total, value),
        ];
        let mut ops =
            vec![Op::For { index, from, to, step: 1, body }, add(total, total, Operand::i64(number as i64))];
        ops.extend((0..20).map(|_| Op::Move { dst: total, x: total.into() }));
        ops.push(store_at(out, 0, total));
        k.finish(ops)
    };
    (0..count).map(sum).collect()
}

#[test]
fn kernels_keep_their_numbers_when_modules_are_split() {
    let machine = Machine::new(sums(40), &here());
    for number in 0..40 {
        let input: Vec<i64> = (0..100).collect();
        let mut out = 0_i64;
        machine.run(number, &[input.as_ptr() as u64, &raw mut out as u64], 100);
        assert_eq!(out, 4950 + number as i64);
    }
}

#[test]
fn objects_survive_a_cache_and_damage_is_an_error() {
    let object = compile(&program(sums(2)), &here(), &CompileOptions::default()).expect("compiles");
    let bytes = postcard::to_allocvec(&object).expect("is plain data");
    let again: Object = postcard::from_bytes(&bytes).expect("is what was stored");
    assert!(object == again && load(&again).is_ok());
    for cut in [0, 1, 16, 64, 100, bytes.len() / 2] {
        let mut damaged = bytes.clone();
        damaged[2..][..bytes.len() - 2].rotate_left(cut + 1);
        let refused = postcard::from_bytes::<Object>(&damaged).is_err_and(|_| true)
            || postcard::from_bytes::<Object>(&damaged).is_ok_and(|object| load(&object).is_err());
        assert!(refused, "damaged by {cut}");
    }
}

#[test]
fn a_program_without_kernels_is_fine() {
    let object = compile(&program(vec![]), &here(), &CompileOptions { threads: 1 }).expect("compiles");
    assert!(load(&object).is_ok_and(|kernels| kernels.functions().is_empty()));
}

/// Builds a kernel that counts the bits of the argument in a loop of `iterations` iterations.
fn bits_counted(iterations: i64) -> Kernel {
    let mut k = KernelBuilder::new("bits");
    let x = k.scalar_param(I64);
    let out = k.output();
    let (index, bit, sum) = (k.reg(I64, 1), k.reg(I64, 1), k.reg(I64, 1));
    let body = vec![
        Op::Binary { dst: bit, op: BinaryOp::LShr, x: x.into(), y: index.into() },
        Op::Binary { dst: bit, op: BinaryOp::And, x: bit.into(), y: Operand::i64(1) },
        add(sum, sum, bit),
    ];
    let (from, to) = (Operand::i64(0), Operand::i64(iterations));
    k.finish(vec![Op::For { index, from, to, step: 1, body }, store_at(out, 0, sum)])
}

#[test]
fn short_constant_loops_are_unrolled() {
    let branches = |iterations| {
        let ir = emit_llvm_ir(&program(vec![bits_counted(iterations)]), &here(), true).expect("is valid");
        ir.matches("br i1").count()
    };
    assert_eq!(branches(60), 0);
    assert_ne!(branches(100_000), 0, "unrolled as a whole");
    for (iterations, expected) in [(0, 0), (1, 1), (60, 59)] {
        assert_eq!(results::<1>(bits_counted(iterations), &[-3]), [expected], "{iterations} iterations");
    }
}

#[test]
fn code_can_be_looked_at() {
    let program = program(sums(1));
    let ir = emit_llvm_ir(&program, &here(), false).expect("is valid");
    assert!(ir.contains("define void @kernel.sum"), "{ir}");
    let optimized = emit_llvm_ir(&program, &here(), true).expect("is valid");
    assert!(!optimized.contains("alloca"), "{optimized}");
    assert!(emit_asm(&program, &here()).expect("is valid").contains("ret"));
}

#[test]
fn what_a_kernel_cannot_do_is_a_bug_that_names_it() {
    let refused = |body: Vec<Op>, words: &str| {
        let kernel = KernelBuilder::new("wrong").finish(body);
        let failure =
            compile(&program(vec![kernel]), &here(), &CompileOptions::default()).expect_err("is refused");
        let bug = bug(failure);
        assert!(bug.message.contains("wrong") && bug.message.contains(words), "{}", bug.message);
    };
    refused(vec![Op::Leave { label: Label(0) }], "outside its scope");
    refused(vec![Op::Barrier], "GPU");
    refused(vec![Op::Release { mem: Mem::new(0) }], "host operation");
}

fn choice(cond: Reg) -> Op {
    Op::If { cond: cond.into(), then_block: vec![], else_block: vec![] }
}

#[test]
fn ill_typed_kernels_are_refused_where_kinds_or_widths_do_not_fit() {
    let refused = |op: fn([Reg; 4]) -> Op, words: &str| {
        let mut k = KernelBuilder::new("ill-typed");
        let (float, int, small) = (k.reg(ScalarType::F32, 1), k.reg(I64, 1), k.reg(ScalarType::I32, 1));
        let mask = k.reg(ScalarType::Bool, 4);
        let kernel = k.finish(vec![op([float, int, small, mask])]);
        let failure =
            compile(&program(vec![kernel]), &here(), &CompileOptions::default()).expect_err("is refused");
        let bug = bug(failure);
        assert!(bug.message.contains(words) || bug.ir.contains(words), "{}: {}", words, bug.message);
    };
    refused(|[float, ..]| add(float, float, float), "add of floats");
    refused(|[float, int, ..]| add(float, float, int), "add of float and i64");
    refused(|[_, int, ..]| choice(int), "i64 where truth values are needed");
    refused(|[.., mask]| choice(mask), "<4 x i1> where a scalar is needed");
    refused(
        |[float, int, ..]| Op::Move { dst: float, x: int.into() },
        "i64 is assigned to a register of type float",
    );
    // Widths are checked by LLVM.
    refused(|[_, int, small, _]| add(int, int, small), "add i64");
}
