//! Loads, stores and atomic updates: the accessed elements, and that nothing else is accessed.

mod common;

use common::{KernelBuilder, Machine, Random, pack, store, targets, unpack};
use warpwise_imp::{AtomicOp, CpuTarget, Kernel, Mem, Op, Operand, Reg};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

/// Lane counts tested on this machine; emulated machines get fewer.
const LANES: [u16; 6] = [1, 2, 4, 8, 16, 32];

/// One page that may be accessed, followed by one that may not.
struct Guarded {
    start: *mut u8,
}

const PAGE: usize = 4096;

impl Guarded {
    fn new() -> Guarded {
        // SAFETY: a fresh private mapping, whose second page is then made inaccessible.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let start =
                libc::mmap(std::ptr::null_mut(), 2 * PAGE, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0);
            assert_ne!(start, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(start.cast::<u8>().add(PAGE).cast(), PAGE, libc::PROT_NONE), 0);
            Guarded { start: start.cast() }
        }
    }

    /// Returns the address of an array of `count` elements that ends where the guarded page begins.
    fn last(&self, ty: ScalarType, count: usize) -> u64 {
        self.start as u64 + (PAGE - count * ty.bytes()) as u64
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the first page is readable, writable and owned.
        unsafe { std::slice::from_raw_parts_mut(self.start, PAGE) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: the mapping is owned and no longer used.
        unsafe { libc::munmap(self.start.cast(), 2 * PAGE) };
    }
}

/// Builds a mask of the lanes below a count, and the lane numbers as indices.
fn lanes_below(k: &mut KernelBuilder, count: Reg, lanes: u16) -> (Vec<Op>, Reg, Reg) {
    let (ids, mask) = (k.reg(ScalarType::I64, lanes), k.reg(ScalarType::Bool, lanes));
    let ops = vec![
        Op::LaneIds { dst: ids },
        Op::Compare { dst: mask, op: CompareOp::SLt, x: ids.into(), y: count.into() },
    ];
    (ops, ids, mask)
}

/// The addressing of memory in a test.
#[derive(Clone, Copy, Debug)]
enum Addressing {
    Contiguous,
    Indexed,
}

const ADDRESSING: [Addressing; 2] = [Addressing::Contiguous, Addressing::Indexed];

impl Addressing {
    fn index(self, ids: Reg) -> Operand {
        match self {
            Addressing::Contiguous => Operand::i64(0),
            Addressing::Indexed => ids.into(),
        }
    }
}

/// Builds `out[0..lanes] = masked load of input`, with the first `count` lanes on.
fn masked_load(ty: ScalarType, lanes: u16, addressing: Addressing) -> Kernel {
    let mut k = KernelBuilder::new(&format!("load {ty} {lanes} {addressing:?}"));
    let (input, out, count) = (k.input(), k.output(), k.scalar_param(ScalarType::I64));
    let (mut body, ids, mask) = lanes_below(&mut k, count, lanes);
    let value = k.reg(ty, lanes);
    body.push(Op::Load {
        dst: value,
        mem: input,
        index: addressing.index(ids),
        mask: Some(mask.into()),
        ahead: None,
    });
    body.push(store(out, Operand::i64(0), value.into(), ty));
    k.finish(body)
}

/// Builds `masked store of input to out`, with the first `count` lanes on.
fn masked_store(ty: ScalarType, lanes: u16, addressing: Addressing) -> Kernel {
    let mut k = KernelBuilder::new(&format!("store {ty} {lanes} {addressing:?}"));
    let (input, mem, count) = (k.input(), k.output(), k.scalar_param(ScalarType::I64));
    let (mut body, ids, mask) = lanes_below(&mut k, count, lanes);
    let value = k.reg(ty, lanes);
    body.push(Op::Load { dst: value, mem: input, index: Operand::i64(0), mask: None, ahead: None });
    let index = addressing.index(ids);
    let mask = Some(mask.into());
    body.push(Op::Store { mem, index, value: value.into(), elem: ty, mask, stream: false });
    k.finish(body)
}

/// Compiles a kernel for each type and number of lanes together; then runs `check` on each.
fn for_all(
    target: &CpuTarget,
    kernel: impl Fn(ScalarType, u16) -> Kernel,
    check: impl Fn(&Machine, usize, ScalarType, usize),
) {
    let lane_counts: &[u16] = if *target == targets()[0] { &LANES } else { &[1, 4, 32] };
    let cases: Vec<(ScalarType, u16)> = ScalarType::ALL
        .into_iter()
        .flat_map(|ty| lane_counts.iter().map(move |&lanes| (ty, lanes)))
        .collect();
    let machine = Machine::new(cases.iter().map(|&(ty, lanes)| kernel(ty, lanes)).collect(), target);
    for (number, &(ty, lanes)) in cases.iter().enumerate() {
        check(&machine, number, ty, lanes.into());
    }
}

fn random_values(ty: ScalarType, count: usize, seed: u64) -> Vec<Scalar> {
    let mut random = Random(seed);
    (0..count).map(|_| Scalar::from_bits(ty, random.bits())).collect()
}

#[test]
fn masked_loads_touch_active_lanes_only() {
    for target in targets() {
        for addressing in ADDRESSING {
            for_all(
                &target,
                |ty, lanes| masked_load(ty, lanes, addressing),
                |machine, number, ty, lanes| {
                    let mut guarded = Guarded::new();
                    let values = random_values(ty, lanes, 1);
                    for count in 0..=lanes {
                        let bytes = pack(&values[..count]);
                        let size = count * ty.bytes();
                        guarded.bytes()[PAGE - size..].copy_from_slice(&bytes[..size]);
                        let mut out = vec![0xee_u8; lanes * 8 + 8];
                        machine.run(
                            number,
                            &[guarded.last(ty, count), out.as_mut_ptr() as u64, count as u64],
                            1,
                        );
                        let mut expected = values[..count].to_vec();
                        expected.resize(lanes, Scalar::zero(ty));
                        assert_eq!(
                            unpack(&out, ty, lanes),
                            expected,
                            "{ty} {count} of {lanes} {addressing:?} {target:?}"
                        );
                    }
                },
            );
        }
    }
}

#[test]
fn masked_stores_touch_active_lanes_only() {
    for target in targets() {
        for addressing in ADDRESSING {
            for_all(
                &target,
                |ty, lanes| masked_store(ty, lanes, addressing),
                |machine, number, ty, lanes| {
                    let mut guarded = Guarded::new();
                    let values = random_values(ty, lanes, 2);
                    let input = pack(&values);
                    for count in 0..=lanes {
                        guarded.bytes().fill(0xee);
                        machine.run(
                            number,
                            &[input.as_ptr() as u64, guarded.last(ty, count), count as u64],
                            1,
                        );
                        let size = count * ty.bytes();
                        assert_eq!(
                            guarded.bytes()[PAGE - size..],
                            input[..size],
                            "{ty} {count} of {lanes} {target:?}"
                        );
                        assert!(
                            guarded.bytes()[..PAGE - size].iter().all(|&byte| byte == 0xee),
                            "{ty} {lanes} {target:?}"
                        );
                    }
                },
            );
        }
    }
}

/// Builds a kernel that keeps the lanes where `keep` is true; it loads both inputs in full.
fn compress(ty: ScalarType, lanes: u16) -> Kernel {
    compressing(ty, lanes, false)
}

fn compressing(ty: ScalarType, lanes: u16, spare: bool) -> Kernel {
    let mut k = KernelBuilder::new(&format!("compress {ty} {lanes}"));
    let (input, keep, mem) = (k.input(), k.input(), k.output());
    let (value, mask) = (k.reg(ty, lanes), k.reg(ScalarType::Bool, lanes));
    let index = Operand::i64(0);
    k.finish(vec![
        Op::Load { dst: value, mem: input, index, mask: None, ahead: None },
        Op::Load { dst: mask, mem: keep, index, mask: None, ahead: None },
        Op::CompressStore { mem, index, value: value.into(), elem: ty, mask: mask.into(), spare },
    ])
}

#[test]
fn compress_store_writes_kept_lanes_and_nothing_behind_them() {
    for target in targets() {
        for_all(&target, compress, |machine, number, ty, lanes| {
            let mut guarded = Guarded::new();
            let mut random = Random(3);
            for round in 0..40 {
                let values = random_values(ty, lanes, round);
                let keep: Vec<Scalar> = (0..lanes)
                    .map(|_| Scalar::Bool(round != 1 && (round == 0 || random.bits() & 1 == 1)))
                    .collect();
                let kept: Vec<Scalar> = values
                    .iter()
                    .zip(&keep)
                    .filter(|(_, k)| **k == Scalar::Bool(true))
                    .map(|(&v, _)| v)
                    .collect();
                guarded.bytes().fill(0xee);
                let (input, keep) = (pack(&values), pack(&keep));
                let args = [input.as_ptr() as u64, keep.as_ptr() as u64, guarded.last(ty, kept.len())];
                machine.run(number, &args, 1);
                let size = kept.len() * ty.bytes();
                assert_eq!(guarded.bytes()[PAGE - size..], pack(&kept)[..size], "{ty} {lanes} {target:?}");
                assert!(guarded.bytes()[..PAGE - size].iter().all(|&byte| byte == 0xee));
            }
        });
    }
}

#[test]
fn with_room_to_spare_compression_stays_within_as_many_elements_as_lanes() {
    for target in targets() {
        for_all(
            &target,
            |ty, lanes| compressing(ty, lanes, true),
            |machine, number, ty, lanes| {
                let mut guarded = Guarded::new();
                let mut random = Random(8);
                for round in 0..20 {
                    let values = random_values(ty, lanes, round);
                    let keep: Vec<Scalar> =
                        (0..lanes).map(|_| Scalar::Bool(round == 0 || random.bits() & 1 == 1)).collect();
                    let chosen = values.iter().zip(&keep).filter(|(_, keep)| **keep == Scalar::Bool(true));
                    let kept: Vec<Scalar> = chosen.map(|(&value, _)| value).collect();
                    guarded.bytes().fill(0xee);
                    let (input, keep) = (pack(&values), pack(&keep));
                    let out = guarded.last(ty, lanes);
                    machine.run(number, &[input.as_ptr() as u64, keep.as_ptr() as u64, out], 1);
                    let start = PAGE - lanes * ty.bytes();
                    let size = kept.len() * ty.bytes();
                    assert_eq!(
                        guarded.bytes()[start..start + size],
                        pack(&kept)[..size],
                        "{ty} {lanes} {target:?}"
                    );
                    assert!(guarded.bytes()[..start].iter().all(|&byte| byte == 0xee));
                }
            },
        );
    }
}

/// Builds `out[indices[lane]] = values[lane]`.
fn scatter(ty: ScalarType, lanes: u16) -> Kernel {
    let mut k = KernelBuilder::new(&format!("scatter {ty} {lanes}"));
    let (input, places, mem) = (k.input(), k.input(), k.output());
    let (value, index) = (k.reg(ty, lanes), k.reg(ScalarType::I64, lanes));
    let first = Operand::i64(0);
    k.finish(vec![
        Op::Load { dst: value, mem: input, index: first, mask: None, ahead: None },
        Op::Load { dst: index, mem: places, index: first, mask: None, ahead: None },
        store(mem, index.into(), value.into(), ty),
    ])
}

#[test]
fn of_several_lanes_to_one_place_the_highest_counts() {
    for target in targets() {
        for_all(&target, scatter, |machine, number, ty, lanes| {
            let mut random = Random(4);
            let places: Vec<Scalar> = (0..lanes).map(|_| Scalar::I64((random.bits() % 4) as i64)).collect();
            let values = random_values(ty, lanes, 5);
            let mut expected = vec![Scalar::zero(ty); 4];
            for (place, &value) in places.iter().zip(&values) {
                expected[place.as_int().unwrap() as usize] = value;
            }
            let mut out = vec![0_u8; 40];
            let (input, places) = (pack(&values), pack(&places));
            machine.run(number, &[input.as_ptr() as u64, places.as_ptr() as u64, out.as_mut_ptr() as u64], 1);
            assert_eq!(unpack(&out, ty, 4), expected, "{ty} {lanes} {target:?}");
        });
    }
}

fn streaming_copy(ty: ScalarType, lanes: u16) -> Kernel {
    let mut k = KernelBuilder::new(&format!("stream {ty} {lanes}"));
    let (input, mem) = (k.input(), k.output());
    let (value, index) = (k.reg(ty, lanes), k.reg(ScalarType::I64, 1));
    let (from, to) = (k.lo.into(), k.hi.into());
    let body = vec![
        Op::Load {
            dst: value,
            mem: input,
            index: index.into(),
            mask: None,
            ahead: (lanes > 1).then_some(Operand::i64(2048)),
        },
        Op::Store { mem, index: index.into(), value: value.into(), elem: ty, mask: None, stream: true },
    ];
    k.finish(vec![Op::For { index, from, to, step: lanes.into(), body }])
}

#[test]
fn streaming_stores_and_loads_that_look_ahead_work_at_any_alignment() {
    for target in targets() {
        for_all(&target, streaming_copy, |machine, number, ty, lanes| {
            let values = random_values(ty, 8 * lanes, 6);
            let input = pack(&values);
            let mut out = vec![0xee_u8; values.len() * 8 + 400];
            for shift in [0, 1, 3, 8, 31] {
                let start = (out.as_mut_ptr() as u64).next_multiple_of(64) + (shift * ty.bytes()) as u64;
                let offset = (start - out.as_ptr() as u64) as usize;
                machine.run(number, &[input.as_ptr() as u64, start], values.len() as i64);
                assert_eq!(unpack(&out[offset..], ty, values.len()), values, "{ty} {lanes} {target:?}");
            }
        });
    }
}

/// Builds a kernel that claims the elements `lo..hi`, which may be outside the array.
fn claims(ty: ScalarType) -> Kernel {
    let mut k = KernelBuilder::new(&format!("claims {ty}"));
    let (mem, index) = (k.output(), k.reg(ScalarType::I64, 1));
    let (from, to) = (k.lo.into(), k.hi.into());
    let body = vec![Op::Claim { mem, index: index.into(), elem: ty }];
    k.finish(vec![Op::For { index, from, to, step: 1, body }])
}

#[test]
fn claims_touch_nothing_and_may_lie_anywhere() {
    for target in targets() {
        let machine = Machine::new(ScalarType::ALL.into_iter().map(claims).collect(), &target);
        for (number, ty) in ScalarType::ALL.into_iter().enumerate() {
            let mut guarded = Guarded::new();
            let before = guarded.bytes().to_vec();
            machine.run(number, &[guarded.last(ty, 4)], 3 * PAGE as i64);
            assert!(guarded.bytes() == before, "{ty} {target:?}");
        }
    }
}

// -- atomics ---------------------------------------------------------------------------------

/// Builds `mem[places[i]] op= values[i]` for all `i`, `lanes` at a time.
fn accumulate(op: AtomicOp, ty: ScalarType, lanes: u16) -> Kernel {
    let mut k = KernelBuilder::new(&format!("{op:?} {ty} {lanes}"));
    let (input, places, mem) = (k.input(), k.input(), k.output());
    let (value, place, index) = (k.reg(ty, lanes), k.reg(ScalarType::I64, lanes), k.reg(ScalarType::I64, 1));
    let (from, to) = (k.lo.into(), k.hi.into());
    let body = vec![
        Op::Load { dst: value, mem: input, index: index.into(), mask: None, ahead: None },
        Op::Load { dst: place, mem: places, index: index.into(), mask: None, ahead: None },
        Op::Atomic { op, mem, index: place.into(), value: value.into(), elem: ty, mask: None },
    ];
    k.finish(vec![Op::For { index, from, to, step: lanes.into(), body }])
}

fn atomic_cases() -> Vec<(AtomicOp, ScalarType)> {
    use BinaryOp::*;
    let mut cases = Vec::new();
    for ty in ScalarType::ALL {
        for op in [Add, Mul, SMin, SMax, UMin, UMax, And, Or, Xor, FAdd, FMin, FMax] {
            if op.accepts(ty) {
                cases.push((AtomicOp::Binary(op), ty));
            }
        }
        cases.push((AtomicOp::Exchange, ty));
    }
    cases
}

#[test]
fn atomic_updates_combine_in_lane_order() {
    let cases = atomic_cases();
    for target in targets() {
        for lanes in [1, 8] {
            let kernels = cases.iter().map(|&(op, ty)| accumulate(op, ty, lanes)).collect();
            let machine = Machine::new(kernels, &target);
            for (number, &(op, ty)) in cases.iter().enumerate() {
                let mut random = Random(8);
                let small = |random: &mut Random| match ty.is_float() {
                    true => Scalar::float(ty, (random.bits() % 100) as f64 - 30.0),
                    false => Scalar::from_bits(ty, random.bits()),
                };
                let values: Vec<Scalar> = (0..64).map(|_| small(&mut random)).collect();
                let places: Vec<Scalar> = (0..64).map(|_| Scalar::I64((random.bits() % 5) as i64)).collect();
                let mut expected = vec![Scalar::zero(ty); 5];
                for (place, &value) in places.iter().zip(&values) {
                    let slot = &mut expected[place.as_int().unwrap() as usize];
                    *slot = match op {
                        AtomicOp::Binary(op) => op.eval(*slot, value).unwrap(),
                        AtomicOp::Exchange => value,
                    };
                }
                let mut out = [0_u64; 6];
                let (input, indices) = (pack(&values), pack(&places));
                let args = [input.as_ptr() as u64, indices.as_ptr() as u64, out.as_mut_ptr() as u64];
                machine.run(number, &args, 64);
                let bytes: Vec<u8> = out.iter().flat_map(|x| x.to_le_bytes()).collect();
                assert_eq!(unpack(&bytes, ty, 5), expected, "{op:?} {ty} {lanes} {target:?}");
            }
        }
    }
}

#[test]
fn atomic_updates_of_two_threads_are_not_lost() {
    let cases = [
        (BinaryOp::Add, ScalarType::I32),
        (BinaryOp::FAdd, ScalarType::F64),
        (BinaryOp::Add, ScalarType::I8),
    ];
    let kernels = cases.iter().map(|&(op, ty)| accumulate(AtomicOp::Binary(op), ty, 8)).collect();
    let machine = Machine::new(kernels, &targets()[0]);
    for (number, &(_, ty)) in cases.iter().enumerate() {
        let count = 80_000;
        let one = if ty.is_float() { Scalar::float(ty, 1.0) } else { Scalar::int(ty, 1) };
        let (input, indices) = (pack(&vec![one; count]), pack(&vec![Scalar::I64(0); count]));
        let mut out = 0_u64;
        let args = [input.as_ptr() as u64, indices.as_ptr() as u64, &raw mut out as u64];
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| machine.run(number, &args, count as i64));
            }
        });
        let total = Scalar::from_bits(ty, out);
        let expected = if ty.is_float() { Scalar::float(ty, 160_000.0) } else { Scalar::int(ty, 160_000) };
        assert_eq!(total, expected, "{ty}");
    }
}

// -- overlap ---------------------------------------------------------------------------------

/// `b[i + 1] = a[i] + 1` for `i` in order, where `a` and `b` may be the same block.
#[test]
fn arguments_that_may_overlap_are_accessed_in_order() {
    let mut k = KernelBuilder::new("shift");
    let (a, b) = (k.memory_param(false, true), k.memory_param(false, false));
    let [value, sum, index, next] = [(); 4].map(|()| k.reg(ScalarType::I64, 1));
    let (from, to) = (k.lo.into(), k.hi.into());
    let body = vec![
        Op::Load { dst: value, mem: a, index: index.into(), mask: None, ahead: None },
        Op::Binary { dst: sum, op: BinaryOp::Add, x: value.into(), y: Operand::i64(1) },
        Op::Binary { dst: next, op: BinaryOp::Add, x: index.into(), y: Operand::i64(1) },
        store(b, next.into(), sum.into(), ScalarType::I64),
    ];
    let kernel = k.finish(vec![Op::For { index, from, to, step: 1, body }]);
    let machine = Machine::new(vec![kernel], &targets()[0]);
    let mut array = [0_i64; 100];
    let address = array.as_mut_ptr() as u64;
    machine.run(0, &[address, address], 99);
    assert_eq!(array.to_vec(), (0..100).collect::<Vec<i64>>());
}

/// A memory that is alternately one argument or another overlaps with both.
#[test]
fn memories_that_are_set_overlap_with_what_they_were_set_from() {
    let mut k = KernelBuilder::new("swap");
    let (a, b) = (k.output(), k.output());
    let (front, back, spare): (Mem, Mem, Mem) = {
        let mut mem = || k.mem(warpwise_imp::Space::Global);
        (mem(), mem(), mem())
    };
    let [value, sum, index] = [(); 3].map(|()| k.reg(ScalarType::I64, 1));
    let (from, to) = (k.lo.into(), k.hi.into());
    let body = vec![
        Op::Load { dst: value, mem: front, index: Operand::i64(0), mask: None, ahead: None },
        Op::Binary { dst: sum, op: BinaryOp::Add, x: value.into(), y: Operand::i64(1) },
        store(back, Operand::i64(0), sum.into(), ScalarType::I64),
        Op::SetMem { dst: spare, src: front },
        Op::SetMem { dst: front, src: back },
        Op::SetMem { dst: back, src: spare },
    ];
    let kernel = k.finish(vec![
        Op::SetMem { dst: front, src: a },
        Op::SetMem { dst: back, src: b },
        Op::For { index, from, to, step: 1, body },
    ]);
    let machine = Machine::new(vec![kernel], &targets()[0]);
    let (mut x, mut y) = (0_i64, 0_i64);
    machine.run(0, &[&raw mut x as u64, &raw mut y as u64], 7);
    assert_eq!((x, y), (6, 7));
}

#[test]
fn booleans_are_bytes_and_flags_are_widened() {
    let kernel = KernelBuilder::elementwise("not", 8, &[ScalarType::Bool], ScalarType::I32, |dst, args| {
        Op::Convert { dst, op: ConvertOp::ZExt, from: ScalarType::Bool, x: args[0].into() }
    });
    let machine = Machine::new(vec![kernel], &targets()[0]);
    let input = [1_u8, 0, 0, 1, 1, 1, 0, 1];
    let mut out = [7_i32; 8];
    machine.run(0, &[input.as_ptr() as u64, out.as_mut_ptr() as u64], 8);
    assert_eq!(out, [1, 0, 0, 1, 1, 1, 0, 1]);
}
