//! The register machine, with kernels written by hand in place of compiled ones.

use std::collections::HashMap;
use std::sync::Arc;

use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, ValueType};
use warpwise_runtime::execute::{Argument, Machine, Output};
use warpwise_runtime::kernel::{KernelFn, TaskContext};
use warpwise_runtime::machine::{
    Arg, BlockName, Check, CheckPart, Copy, Function, Instr, KernelName, Launch, Module, Schedule, Slot, View,
};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

fn machine(function: Function, kernels: Vec<KernelFn>, checks: Vec<Check>, threads: usize) -> Machine {
    let names =
        (0..kernels.len()).map(|i| KernelName { name: format!("k{i}"), ..KernelName::default() }).collect();
    let module = Module { functions: vec![function], kernels: names, checks };
    Machine::new(
        module,
        kernels,
        Arc::new(ThreadPool::new(threads)),
        MemoryPool::new(1 << 20),
        HashMap::new(),
    )
}

/// Computes the sum of `0..n` by a loop of the machine.
#[test]
fn loops_and_branches() {
    use ScalarType::I64;
    let (n, i, sum, one, inside) = (0, 1, 2, 3, 4);
    let code = vec![
        Instr::Const { dst: one, bits: 1 },
        Instr::Compare { dst: inside, op: CompareOp::SLt, ty: I64, x: i, y: n },
        Instr::JumpUnless { cond: inside, target: 6 },
        Instr::Binary { dst: sum, op: BinaryOp::Add, ty: I64, x: sum, y: i },
        Instr::Binary { dst: i, op: BinaryOp::Add, ty: I64, x: i, y: one },
        Instr::Jump { target: 1 },
        Instr::Return,
    ];
    let function = Function {
        name: "sum".into(),
        regs: 5,
        mems: vec![],
        params: vec![Slot::Scalar(I64, n)],
        code,
        results: vec![Slot::Scalar(I64, sum)],
    };
    let machine = machine(function, vec![], vec![], 1);
    for (n, expected) in [(-3, 0), (0, 0), (1, 0), (10, 45)] {
        let outputs = machine.run(0, vec![Argument::Scalar(Scalar::I64(n))]).unwrap();
        assert!(matches!(outputs[..], [Output::Scalar(Scalar::I64(sum))] if sum == expected), "{outputs:?}");
    }
}

/// Squares indices, with needless use of the arena as a test; fails where the square exceeds 10^6.
unsafe extern "C" fn squares(context: *mut TaskContext, args: *const u64, lo: i64, hi: i64) {
    // SAFETY: the launch below passes one block that holds the range.
    unsafe {
        let out = *args as *mut i64;
        for i in lo..hi {
            let mark = (*context).arena_top;
            let scratch = ((*context).grow_arena)(context, 64).cast::<i64>();
            if scratch.is_null() {
                return;
            }
            *scratch = i * i;
            *out.offset(i as isize) = *scratch;
            if *scratch > 1_000_000 {
                let values = [*scratch as u64];
                ((*context).fail)(context, 0, i, values.as_ptr(), 1);
            }
            ((*context).reset_arena)(context, mark);
        }
    }
}

fn square_function() -> Function {
    let (n, bytes, eight, cost) = (0, 1, 2, 3);
    let launch = Launch {
        kernel: 0,
        args: vec![Arg::Mem(0)],
        written: vec![0],
        extent: n,
        schedule: Schedule::Dynamic,
        align: 4,
        cost,
        arrays: vec![],
    };
    Function {
        name: "squares".into(),
        regs: 4,
        mems: vec![BlockName { array: "squares".into(), place: "f.fut:3:4".into() }],
        params: vec![Slot::Scalar(ScalarType::I64, n)],
        code: vec![
            Instr::Const { dst: eight, bits: 8 },
            Instr::Const { dst: cost, bits: 5000 },
            Instr::Binary { dst: bytes, op: BinaryOp::Mul, ty: ScalarType::I64, x: n, y: eight },
            Instr::Alloc { dst: 0, bytes },
            Instr::Launch(Box::new(launch)),
            Instr::Return,
        ],
        results: vec![Slot::Array { elem: ScalarType::I64, mem: 0, shape: vec![n] }],
    }
}

#[test]
fn launches_report_the_first_failure() {
    let text = CheckPart::Text("too large: ".into());
    let check = Check {
        parts: vec![text, CheckPart::Value(ValueType::I64)],
        place: "f.fut:1:2".into(),
        calls: vec!["f.fut:4:5".into()],
    };
    for threads in [1, 2, 3] {
        let machine = machine(square_function(), vec![squares], vec![check.clone()], threads);
        for n in [0, 1, 5, 1000] {
            let outputs = machine.run(0, vec![Argument::Scalar(Scalar::I64(n))]).unwrap();
            let [Output::Array(array)] = &outputs[..] else { panic!("{outputs:?}") };
            let expected: Vec<i64> = (0..n).map(|i| i * i).collect();
            assert_eq!(array.as_slice::<i64>().unwrap(), expected);
        }
        let error = machine.run(0, vec![Argument::Scalar(Scalar::I64(5000))]).unwrap_err();
        assert_eq!(error.to_string(), "f.fut:1:2: too large: 1002001\n  called from f.fut:4:5");
        let error = machine.run(0, vec![Argument::Scalar(Scalar::I64(1 << 40))]).unwrap_err();
        let start = "f.fut:3:4: no room for an array: out of memory: 8 TiB asked with ";
        assert!(error.to_string().starts_with(start), "{error}");
    }
}

/// Fills a matrix, changes an element, and copies it transposed.
#[test]
fn fills_and_copies_between_views() {
    let (bytes, zero, one, two, three, six, value) = (0, 1, 2, 3, 4, 5, 6);
    let elem = ScalarType::I64;
    let constant = |dst, bits| Instr::Const { dst, bits };
    let copy = Copy {
        elem,
        shape: vec![three, two],
        dst: View { mem: 1, offset: zero, strides: vec![two, one] },
        src: View { mem: 0, offset: zero, strides: vec![one, three] },
    };
    let mut code = vec![constant(bytes, 48), constant(zero, 0), constant(one, 1), constant(two, 2)];
    code.extend([constant(three, 3), constant(six, 6), constant(value, 7)]);
    code.extend([Instr::Alloc { dst: 0, bytes }, Instr::Alloc { dst: 1, bytes }]);
    code.push(Instr::Fill { mem: 0, index: zero, count: six, value, ty: elem });
    // Row 0, column 2 of a matrix of 2 rows.
    code.push(Instr::Store { mem: 0, index: two, value: one, ty: elem });
    code.extend([Instr::Copy(Box::new(copy)), Instr::Return]);
    let function = Function {
        name: "transposed".into(),
        regs: 7,
        mems: vec![BlockName::default(); 2],
        params: vec![],
        code,
        results: vec![Slot::Array { elem, mem: 1, shape: vec![three, two] }],
    };
    let outputs = machine(function, vec![], vec![], 2).run(0, vec![]).unwrap();
    let [Output::Array(array)] = &outputs[..] else { panic!("{outputs:?}") };
    assert_eq!(array.as_slice::<i64>().unwrap(), [7, 7, 7, 7, 1, 7]);
}
