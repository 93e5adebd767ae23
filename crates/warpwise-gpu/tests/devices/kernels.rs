//! Hand-written kernels: atomic operations, local memory and barriers, control flow, and refusals.

use warpwise_diag::{Failure, FileId, Span};
use warpwise_gpu::kernel_text::{Dialect, kernel_text};
use warpwise_imp::{
    AtomicOp, Block, Group, ImpType, Kernel, KernelParam, Label, LocalArray, Mem, MemData, Op, Operand, Reg,
    RegData, Space,
};
use warpwise_ir::entity::PrimaryMap;
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, UnaryOp};

use crate::device::{Arg, Device, Memory, devices};
use crate::host::{from_bytes, to_bytes};

/// A kernel under construction.
pub struct KernelBuilder {
    name: String,
    params: Vec<KernelParam>,
    regs: PrimaryMap<Reg, RegData>,
    mems: PrimaryMap<Mem, MemData>,
    lo: Reg,
    hi: Reg,
}

impl KernelBuilder {
    /// Begins a kernel without parameters.
    pub fn new(name: &str) -> KernelBuilder {
        let mut regs = PrimaryMap::new();
        let ty = ImpType::scalar(ScalarType::I64);
        let [lo, hi] = ["lo", "hi"].map(|name| regs.push(RegData { ty, name: name.to_string() }));
        KernelBuilder { name: name.to_string(), params: vec![], regs, mems: PrimaryMap::new(), lo, hi }
    }

    /// Adds a register.
    pub fn reg(&mut self, name: &str, ty: ScalarType) -> Reg {
        self.regs.push(RegData { ty: ImpType::scalar(ty), name: name.to_string() })
    }

    /// Adds a parameter in global memory.
    pub fn memory(&mut self, name: &str, read_only: bool) -> Mem {
        let mem = self.mems.push(MemData::new(Space::Global, name));
        self.params.push(KernelParam::Memory { mem, noalias: true, read_only });
        mem
    }

    /// Returns the kernel that runs `body` for the indices of its part.
    pub fn over_range(self, index: Reg, body: Block) -> Kernel {
        let (from, to) = (self.lo.into(), self.hi.into());
        self.done(vec![Op::For { index, from, to, step: 1, body }])
    }

    /// Returns the kernel with this body.
    fn done(self, body: Block) -> Kernel {
        let KernelBuilder { name, params, regs, mems, lo, hi } = self;
        Kernel {
            name,
            params,
            regs,
            mems,
            lo,
            hi,
            group: None,
            body,
            span: place(),
            places: Vec::new(),
            doubles: None,
        }
    }
}

/// Returns the source position of hand-written kernels.
fn place() -> Span {
    Span { file: FileId(3), start: 10, end: 20 }
}

/// Combines all elements of a column into one cell, atomically.
fn fold(device: &Device, op: AtomicOp, start: Scalar, values: &[Scalar]) -> Scalar {
    let elem = start.ty();
    let mut builder = KernelBuilder::new("fold");
    let (xs, cell) = (builder.memory("xs", true), builder.memory("cell", false));
    let (index, value) = (builder.reg("i", ScalarType::I64), builder.reg("x", elem));
    let body = vec![
        Op::Load { dst: value, mem: xs, index: index.into(), mask: None, ahead: None },
        Op::Atomic { op, mem: cell, index: Operand::i64(1), value: value.into(), elem, mask: None },
    ];
    let kernel = builder.over_range(index, body);
    let text = kernel_text([&kernel], device.dialect).expect("an atomic operation");
    let extended = ["atom_and", "atom_or", "atom_xor", "atom_min", "atom_max"];
    let is_used = |name: &&str| text.text.contains(name) && device.dialect == Dialect::OpenCl;
    assert_eq!(extended.iter().find(|name| is_used(name)), None, "needs one more extension: {}", text.text);
    let built = device.build(text);
    let (xs, cells) = (device.memory(&to_bytes(values)), device.memory(&to_bytes(&[start; 4])));
    device.launch(&built, 0, &[Arg::Memory(&xs), Arg::Memory(&cells)], values.len());
    let cells = from_bytes(elem, &device.read(&cells, 4 * elem.bytes()));
    assert_eq!([cells[0], cells[2], cells[3]], [start; 3], "the cells beside stay");
    cells[1]
}

#[test]
fn atomic_operations_lose_no_update() {
    use BinaryOp::*;
    use ScalarType::{F32, F64, I8, I16, I32, I64};
    for (device, ty) in
        devices().iter().flat_map(|device| [I8, I16, I32, I64, F32, F64].map(|ty| (device, ty)))
    {
        let ops: &[BinaryOp] = if ty.is_float() {
            &[FAdd, FMin, FMax]
        } else {
            &[Add, Sub, Mul, And, Or, Xor, SMin, SMax, UMin, UMax]
        };
        for &op in ops {
            // Small numbers, whose sums are exact in floats; all odd, so that products are not 0.
            let values: Vec<Scalar> = (0..500)
                .map(|i| (i * 7919) % 1009 * 2 - 977)
                .map(|x| if ty.is_float() { Scalar::float(ty, x as f64) } else { Scalar::int(ty, x) })
                .collect();
            let expected = values[1..].iter().fold(values[0], |sum, &x| op.eval(sum, x).expect("a result"));
            let got = fold(device, AtomicOp::Binary(op), values[0], &values[1..]);
            assert_eq!(got, expected, "{op:?} {ty} on {}", device.device.name());
        }
        let one = Scalar::from_bits(ty, 77);
        let got = fold(device, AtomicOp::Exchange, Scalar::zero(ty), &[one]);
        assert_eq!(got, one, "exchange {ty}");
    }
}

#[test]
fn work_items_exchange_values_through_local_memory() {
    for device in devices() {
        // Every group reverses its elements.
        let (size, groups) = (16, 3);
        let mut builder = KernelBuilder::new("reverse");
        let (xs, ys) = (builder.memory("xs", true), builder.memory("ys", false));
        let local = builder.mems.push(MemData::new(Space::Local, "staged"));
        let (item, x) = (builder.reg("item", ScalarType::I64), builder.reg("x", ScalarType::I16));
        let (at, elem) = (builder.reg("at", ScalarType::I64), ScalarType::I16);
        let store = |mem, index: Reg| Op::Store {
            mem,
            index: index.into(),
            value: x.into(),
            elem,
            mask: None,
            stream: false,
        };
        let binary = |op, x: Operand, y: Operand| Op::Binary { dst: at, op, x, y };
        let body = vec![
            binary(BinaryOp::Mul, builder.lo.into(), Operand::i64(size)),
            binary(BinaryOp::Add, at.into(), item.into()),
            Op::Load { dst: x, mem: xs, index: at.into(), mask: None, ahead: None },
            store(local, item),
            Op::Barrier,
            binary(BinaryOp::Sub, Operand::i64(size - 1), item.into()),
            Op::Load { dst: x, mem: local, index: at.into(), mask: None, ahead: None },
            binary(BinaryOp::Mul, builder.lo.into(), Operand::i64(size)),
            binary(BinaryOp::Add, at.into(), item.into()),
            store(ys, at),
        ];
        let mut kernel = builder.done(body);
        let arrays = vec![LocalArray { mem: local, elem, count: Operand::i64(size) }];
        kernel.group = Some(Group { size: size as u32, item, local: arrays });
        let built = device.build(kernel_text([&kernel], device.dialect).expect("a kernel with a barrier"));
        let values: Vec<Scalar> = (0..size * groups).map(|x| Scalar::I16(x as i16 * 3)).collect();
        let inputs = device.memory(&to_bytes(&values));
        let outputs = device.memory(&vec![0; 2 * values.len()]);
        let args = [Arg::Memory(&inputs), Arg::Memory(&outputs)];
        device.launch(&built, 0, &args, groups as usize);
        let reversed: Vec<Scalar> =
            values.chunks(size as usize).flat_map(|group| group.iter().rev().copied()).collect();
        assert_eq!(from_bytes(elem, &device.read(&outputs, 2 * reversed.len())), reversed);
    }
}

#[test]
fn scopes_are_left_from_loops_and_pointers_are_set() {
    for device in devices() {
        // ys[i] = the first k with k*k >= i, but 100 where i is 7; results for odd i go to zs instead. The loop's bound changes
        // within the loop, which must not matter.
        let mut builder = KernelBuilder::new("roots");
        let (ys, zs) = (builder.memory("ys", false), builder.memory("zs", false));
        let chosen = builder.mems.push(MemData::new(Space::Global, "chosen"));
        let [i, k, bound, square] =
            ["i", "k", "bound", "square"].map(|name| builder.reg(name, ScalarType::I64));
        let [odd, reached] = ["odd", "reached"].map(|name| builder.reg(name, ScalarType::Bool));
        let (inner, outer) = (Label(0), Label(1));
        let compare = |dst, op, x: Operand, y: Operand| Op::Compare { dst, op, x, y };
        let leave_if = |cond: Reg, label| Op::If {
            cond: cond.into(),
            then_block: vec![Op::Leave { label }],
            else_block: vec![],
        };
        let body = vec![
            Op::Binary { dst: square, op: BinaryOp::And, x: i.into(), y: Operand::i64(1) },
            compare(odd, CompareOp::Eq, square.into(), Operand::i64(1)),
            Op::If {
                cond: odd.into(),
                then_block: vec![Op::SetMem { dst: chosen, src: zs }],
                else_block: vec![Op::SetMem { dst: chosen, src: ys }],
            },
            Op::Scope {
                label: outer,
                body: vec![
                    Op::Scope {
                        label: inner,
                        body: vec![
                            Op::Move { dst: bound, x: Operand::i64(1000) },
                            Op::For {
                                index: k,
                                from: Operand::i64(0),
                                to: bound.into(),
                                step: 1,
                                body: vec![
                                    Op::Move { dst: bound, x: Operand::i64(0) },
                                    compare(reached, CompareOp::Eq, i.into(), Operand::i64(7)),
                                    leave_if(reached, outer),
                                    Op::Binary { dst: square, op: BinaryOp::Mul, x: k.into(), y: k.into() },
                                    compare(reached, CompareOp::SLe, i.into(), square.into()),
                                    leave_if(reached, inner),
                                ],
                            },
                        ],
                    },
                    Op::Store {
                        mem: chosen,
                        index: i.into(),
                        value: k.into(),
                        elem: ScalarType::I64,
                        mask: None,
                        stream: false,
                    },
                    Op::Move { dst: bound, x: Operand::i64(5) },
                    // Counts down to 0 by a loop that tests first.
                    Op::While {
                        test: vec![compare(reached, CompareOp::SLt, Operand::i64(0), bound.into())],
                        cond: reached.into(),
                        body: vec![Op::Binary {
                            dst: bound,
                            op: BinaryOp::Sub,
                            x: bound.into(),
                            y: Operand::i64(1),
                        }],
                    },
                    compare(reached, CompareOp::Eq, bound.into(), Operand::i64(0)),
                    leave_if(reached, outer),
                    Op::Store {
                        mem: chosen,
                        index: i.into(),
                        value: Operand::i64(-2),
                        elem: ScalarType::I64,
                        mask: None,
                        stream: false,
                    },
                ],
            },
            compare(reached, CompareOp::Eq, i.into(), Operand::i64(7)),
            Op::Store {
                mem: chosen,
                index: i.into(),
                value: Operand::i64(100),
                elem: ScalarType::I64,
                mask: Some(reached.into()),
                stream: false,
            },
        ];
        let kernel = builder.over_range(i, body);
        let built = device.build(kernel_text([&kernel], device.dialect).expect("a kernel with scopes"));
        let n = 200;
        let untouched = vec![Scalar::I64(-1); n];
        let blocks = [0, 1].map(|_| device.memory(&to_bytes(&untouched)));
        let args: Vec<Arg> = blocks.iter().map(Arg::Memory).collect();
        device.launch(&built, 0, &args, n);
        let read = |memory: &Memory| from_bytes(ScalarType::I64, &device.read(memory, 8 * n));
        let [evens, odds] = [read(&blocks[0]), read(&blocks[1])];
        for i in 0..n {
            let root = if i == 7 { 100 } else { (0..).find(|k| k * k >= i as i64).expect("a root") };
            let expected = if i % 2 == 0 { (root, -1) } else { (-1, root) };
            assert_eq!((evens[i], odds[i]), (Scalar::I64(expected.0), Scalar::I64(expected.1)), "{i}");
        }
    }
}

#[test]
fn what_a_device_cannot_do_is_a_located_limit() {
    let refused = |op: &dyn Fn(&mut KernelBuilder, Mem) -> Op| {
        let mut builder = KernelBuilder::new("refused");
        let mem = builder.memory("xs", false);
        let op = op(&mut builder, mem);
        kernel_text([&builder.done(vec![op])], Dialect::OpenCl).expect_err("a limit")
    };
    let vector = |builder: &mut KernelBuilder, _| {
        let ty = ImpType::vector(ScalarType::F32, 8);
        let dst = builder.regs.push(RegData { ty, name: "v".to_string() });
        Op::Unary { dst, op: UnaryOp::Sqrt, x: dst.into() }
    };
    let flag = |_: &mut KernelBuilder, mem| Op::SetFlag { mem, index: Operand::i64(0) };
    let narrow = |builder: &mut KernelBuilder, _| Op::Atomic {
        op: AtomicOp::Binary(BinaryOp::Add),
        mem: builder.mems.push(MemData::new(Space::Local, "table")),
        index: Operand::i64(0),
        value: Scalar::I8(1).into(),
        elem: ScalarType::I8,
        mask: None,
    };
    type Case<'a> = (&'a dyn Fn(&mut KernelBuilder, Mem) -> Op, &'a str);
    let cases: [Case; 3] = [(&vector, "vectors"), (&flag, "flags"), (&narrow, "less than 32 bits")];
    for (op, what) in cases {
        match refused(op) {
            Failure::Limit(limit) => {
                assert!(limit.message.contains(what) && limit.span == place(), "{limit:?}");
            }
            other => panic!("{what}: {other:?}"),
        }
    }
    for wrong in [Op::Leave { label: Label(9) }, Op::Release { mem: warpwise_ir::entity::Entity::new(0) }] {
        assert!(matches!(refused(&|_, _| wrong.clone()), Failure::Bug(_)), "{wrong:?}");
    }
}

#[test]
fn kernels_of_a_long_text_are_each_their_own() {
    // Kernel n writes 3 n to its only element. Long constants fill several parts of a text; every second kernel is identical to
    // the one before.
    let kernel = |name: usize, n: i64| {
        let mut builder = KernelBuilder::new(&format!("k{name}"));
        let (cells, index) = (builder.memory("cells", false), builder.reg("i", ScalarType::I64));
        let store = |value| Op::Store {
            mem: cells,
            index: index.into(),
            value,
            elem: ScalarType::I64,
            mask: None,
            stream: false,
        };
        let mut body: Vec<Op> = (1_000_000..1_000_400).map(|x| store(Operand::i64(x))).collect();
        body.push(store(Operand::i64(3 * n)));
        builder.over_range(index, body)
    };
    let kernels: Vec<Kernel> = (0..20).map(|n| kernel(n, n as i64 / 2)).collect();
    for device in devices() {
        let text = kernel_text(&kernels, device.dialect).expect("kernels that can be printed");
        assert!(text.text.len() > 3 * (24 << 10), "{} bytes", text.text.len());
        for n in 0..20 {
            assert_eq!(text.text.contains(&format!("k{n}(")), n % 2 == 0, "kernel {n}");
        }
        let built = device.build(text);
        for n in 0..20 {
            let cell = device.memory(&[0; 8]);
            device.launch(&built, n, &[Arg::Memory(&cell)], 1);
            assert_eq!(device.read(&cell, 8), (3 * (n as i64 / 2)).to_le_bytes(), "kernel {n}");
        }
    }
}
