//! Scans in one launch: every group scans a tile, and finds what comes before it by looking back at the tiles before.
//!
//! ```text
//! tile = ticket; scan the tile in local memory; total[tile] = its total; state[tile] = TOTAL
//! before = neutral; window = the tiles just before
//! until a tile of the window has its prefix: before = op(totals of the window, before); go on with the window further back
//! before = op(prefix of that tile, op(totals of those after it, before))
//! prefix[tile] = op(before, total[tile]); state[tile] = PREFIX; result = op(before, scanned tile)
//! ```
//!
//! Tiles are numbered in the order in which groups begin, by a ticket: so the groups that others wait for run already. That
//! they go on while others wait is what CUDA promises for groups that run and OpenCL 1.2 does not, so that there scans
//! take three launches unless this is asked for. The work-items of a group look at a tile each, as many tiles at a time. Elements are
//! combined within tiles first; what is combined with what differs with how far tiles have got, so that floats may differ
//! in their last bits from run to run.
//!
//! Not done here: segmented spaces, reductions that ride along, bodies that take memory.

use warpwise_ir::{Lambda, Scan, SegKind, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use super::groups::SIZE;
use crate::lower::cost;
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::kernels::{Built, Range};
use crate::lower::stms::allocates;
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg};

/// Bytes of local memory for the elements of a tile.
const LOCAL: i64 = 16 << 10;

/// Elements of a work-item at most.
const MOST_PER_ITEM: i64 = 16;

/// Banks of local memory, each for a word at a time.
const BANKS: i64 = 32;

/// State of a tile: its total is there.
const TOTAL: i32 = 1;

/// State of a tile: what comes up to its end is there.
const PREFIX: i32 = 2;

/// The memories of a launch: per value of all operators the totals and prefixes of tiles, and the states, with the counter
/// of tickets behind them.
#[derive(Clone)]
struct Tiles {
    totals: Vec<Mem>,
    prefixes: Vec<Mem>,
    states: Mem,
    count: Operand,
}

/// What the work-items of a group share.
struct Shared {
    /// The elements of the tile, per value.
    elements: Vec<Mem>,
    /// One value a work-item, per value.
    totals: Vec<Mem>,
    /// One truth value a work-item, as an `i32`.
    stops: Mem,
    /// What comes before the tile.
    before: Vec<Mem>,
    /// The number of the tile.
    ticket: Mem,
}

/// What the lowering of a kernel knows.
#[derive(Clone, Copy)]
struct Parts<'a> {
    stm: &'a Stm,
    op: &'a SegOp,
    scans: &'a [Scan],
    post: Option<&'a Lambda>,
    per_item: i64,
}

/// A work-item of a tile.
#[derive(Clone, Copy)]
struct Place {
    item: Reg,
    tile: Operand,
    /// The first element of the tile, and how many it has.
    from: Operand,
    length: Operand,
}

impl<'a> Emitter<'a> {
    /// Whether a scan can be done in one launch.
    pub fn can_look_back(&self, op: &SegOp) -> bool {
        let SegKind::Scan { scans, reduces, post } = &op.kind else { return false };
        let lambdas = scans.iter().map(|scan| &scan.op).chain(post);
        let alone = allocates(&op.body) || lambdas.into_iter().any(|lambda| allocates(&lambda.body));
        let bytes: i64 = self.scanned_types(scans).iter().map(|ty| ty.bytes() as i64).sum();
        self.cx.look_back
            && op.space.len() == 1
            && reduces.is_empty()
            && !alone
            && bytes * i64::from(SIZE) <= LOCAL / 4
    }

    fn scanned_types(&self, scans: &[Scan]) -> Vec<ScalarType> {
        let params = scans.iter().flat_map(|scan| &scan.op.params[..scan.neutral.len()]);
        params.map(|&param| self.elem(param)).collect()
    }

    /// Launches a scan. Host code.
    pub fn look_back_scan(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let SegKind::Scan { scans, post, .. } = &op.kind else { return self.limit(stm.span, "no scan") };
        let types = self.scanned_types(scans);
        let bytes: i64 = types.iter().map(|ty| ty.bytes() as i64).sum();
        let per_item = (LOCAL / (i64::from(SIZE) * bytes.max(1))).clamp(1, MOST_PER_ITEM);
        let parts = Parts { stm, op, scans, post: post.as_ref(), per_item };
        let cut = self.cut(&op.space, per_item * i64::from(SIZE), stm.span)?;
        let (totals, prefixes) = (self.unit_values(&cut, &types), self.unit_values(&cut, &types));
        let flags = self.code.add(cut.units, Operand::i64(1));
        let bytes = self.code.mul(flags, Operand::i64(4));
        let states = self.alloc("states", bytes);
        let (zero, elem) = (Operand::Const(Scalar::I32(0)), ScalarType::I32);
        self.code.emit(Op::Fill { mem: states, index: Operand::i64(0), count: flags, value: zero, elem });
        let tiles = Tiles { totals, prefixes, states, count: cut.units };
        let built = self.build_tiles(parts, &tiles)?;
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        let cost = self.block_cost(&cut, cost);
        self.launch(built, Range { extent: cut.units, schedule: Schedule::Static, cost });
        let Tiles { totals, prefixes, states, .. } = tiles;
        self.release_locals([totals, prefixes, vec![states]].concat());
        Ok(())
    }

    fn build_tiles(&self, parts: Parts<'a>, tiles: &Tiles) -> Lowered<Built> {
        let last = parts.op.space.last().expect("a space has dimensions");
        self.build("look_back", parts.stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            let mut param = |mem: Mem| kernel.mem_param("tiles", mem, None);
            let totals = tiles.totals.iter().map(|&mem| param(mem)).collect();
            let prefixes = tiles.prefixes.iter().map(|&mem| param(mem)).collect();
            let states = param(tiles.states);
            let tiles = Tiles { totals, prefixes, states, count: kernel.param_for(tiles.count) };
            let shared = kernel.shared(&parts);
            let count = kernel.uniform(last.extent, parts.stm.span)?;
            kernel.for_units((lo, hi), &mut |kernel, _| {
                let place = kernel.take_tile(&parts, item, &tiles, &shared, count);
                kernel.stage(&parts, place, &shared)?;
                kernel.code.emit(Op::Barrier);
                kernel.scan_items(&parts, place, &shared)?;
                kernel.look_back(&parts, place, &tiles, &shared)?;
                kernel.finish_tile(&parts, place, &shared)?;
                kernel.code.emit(Op::Barrier);
                kernel.store_tile(&parts, place, &shared)
            })
        })
    }

    fn shared(&mut self, parts: &Parts<'a>) -> Shared {
        let types = self.scanned_types(parts.scans);
        let size = i64::from(SIZE);
        let mut each = |name: &str, count: i64| -> Vec<Mem> {
            types.iter().map(|&ty| self.local_memory(name, ty, count)).collect()
        };
        let elements = each("elements", size * parts.per_item * (BANKS + 1) / BANKS + 1);
        let (totals, before) = (each("totals", size), each("before", 1));
        let stops = self.local_memory("stops", ScalarType::I32, size);
        let ticket = self.local_memory("ticket", ScalarType::I64, 1);
        Shared { elements, totals, stops, before, ticket }
    }

    /// Takes the next tile.
    fn take_tile(
        &mut self,
        parts: &Parts<'a>,
        item: Reg,
        tiles: &Tiles,
        shared: &Shared,
        count: Operand,
    ) -> Place {
        let is_first = self.code.compare(CompareOp::Eq, item, Operand::i64(0));
        self.code.open();
        let number = self.code.int_reg("number");
        self.code.emit(Op::Ticket { dst: number, mem: tiles.states, index: tiles.count });
        self.code.store(ScalarType::I64, shared.ticket, Operand::i64(0), number);
        let then_block = self.code.close();
        self.code.emit(Op::If { cond: is_first, then_block, else_block: Vec::new() });
        self.code.emit(Op::Barrier);
        let tile: Operand = self.code.load("tile", ScalarType::I64, shared.ticket, Operand::i64(0)).into();
        let size = i64::from(SIZE) * parts.per_item;
        let from = self.code.mul(tile, Operand::i64(size));
        let rest = self.code.sub(count, from);
        let length = self.code.binary(BinaryOp::SMin, rest, Operand::i64(size));
        Place { item, tile, from, length }
    }

    /// Where an element of the tile lies: some places stay free, so that work-items whose parts follow each other reach
    /// different banks of local memory.
    fn apart(&mut self, at: Operand) -> Operand {
        let row = self.code.binary(BinaryOp::AShr, at, Operand::i64(i64::from(BANKS.ilog2())));
        self.code.add(at, row)
    }

    /// Computes the elements of the tile, neighbours by neighbours.
    fn stage(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        self.each_in_turn(place.item.into(), place.length, &mut |this, at| {
            let index = this.code.add(place.from, at);
            this.counted_as(index, &mut |this| {
                this.bind_index(parts, index);
                this.stms(&parts.op.body)?;
                let values = this.values(&parts.op.body.result[..shared.elements.len()]);
                let slot = this.apart(at.into());
                for (&mem, value) in shared.elements.iter().zip(values) {
                    let elem = this.scalar_type(value);
                    let value = this.vector(value);
                    this.code.store(elem, mem, slot, value);
                }
                Ok(())
            })
        })
    }

    fn bind_index(&mut self, parts: &Parts<'a>, index: Operand) {
        let last = parts.op.space.last().expect("a space has dimensions");
        self.bind_uniform(last.index, index);
    }

    /// The part of the tile that a work-item folds: from where to where.
    fn own_part(&mut self, parts: &Parts<'a>, place: Place) -> (Operand, Operand) {
        let first = self.code.mul(place.item, Operand::i64(parts.per_item));
        let end = self.code.add(first, Operand::i64(parts.per_item));
        (first, self.code.binary(BinaryOp::SMin, end, place.length))
    }

    /// Leaves in `shared.totals` what all elements up to the end of each work-item's part come to.
    fn scan_items(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let carries = self.neutral_carries(parts)?;
        let (first, end) = self.own_part(parts, place);
        let index = self.code.int_reg("k");
        self.code.open();
        let slot = self.apart(index.into());
        let done = self.advance_all(parts, &carries, &shared.elements, slot);
        let body = self.code.close();
        self.code.emit(Op::For { index, from: first, to: end, step: 1, body });
        done?;
        self.store_all(&shared.totals, &carries, place.item.into());
        self.code.emit(Op::Barrier);
        let mut distance = 1;
        while distance < i64::from(SIZE) {
            let reaches = self.code.compare(CompareOp::SLe, Operand::i64(distance), place.item);
            self.branch_if(reaches, &mut |this| {
                let other = this.code.sub(place.item, Operand::i64(distance));
                this.precede_all(parts, &carries, &shared.totals, other)
            })?;
            self.code.emit(Op::Barrier);
            self.store_all(&shared.totals, &carries, place.item.into());
            self.code.emit(Op::Barrier);
            distance *= 2;
        }
        Ok(())
    }

    /// Publishes the tile's total, leaves what comes before the tile in `shared.before`, publishes its prefix.
    fn look_back(&mut self, parts: &Parts<'a>, place: Place, tiles: &Tiles, shared: &Shared) -> Lowered<()> {
        let last = Operand::i64(i64::from(SIZE) - 1);
        let is_first = self.code.compare(CompareOp::Eq, place.item, Operand::i64(0));
        let carries = self.neutral_carries(parts)?;
        self.branch_if(is_first, &mut |this| {
            this.move_all(&tiles.totals, place.tile, &shared.totals, last);
            this.code.emit(Op::Publish { mem: tiles.states, index: place.tile, value: TOTAL });
            Ok(())
        })?;
        self.look_at_windows(parts, place, tiles, shared, &carries)?;
        self.branch_if(is_first, &mut |this| {
            this.store_all(&shared.before, &carries, Operand::i64(0));
            this.advance_all(parts, &carries, &tiles.totals, place.tile)?;
            this.store_all(&tiles.prefixes, &carries, place.tile);
            this.code.emit(Op::Publish { mem: tiles.states, index: place.tile, value: PREFIX });
            Ok(())
        })?;
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// Goes back until the first tile, or one whose prefix is known: `carries` of the first work-item then hold what
    /// comes before this tile.
    fn look_at_windows(
        &mut self,
        parts: &Parts<'a>,
        place: Place,
        tiles: &Tiles,
        shared: &Shared,
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let nearest = self.code.sub(place.tile, Operand::i64(1));
        let nearest = self.code.copy("nearest", nearest);
        // What `totals` hold is needed again: the windows have their own place.
        let window = self.window_memories(parts);
        self.code.open();
        let more = self.code.compare(CompareOp::SLe, Operand::i64(0), nearest);
        let test = self.code.close();
        self.code.open();
        let done = self.look_at_window(parts, (place, nearest), tiles, (shared, &window), carries);
        let body = self.code.close();
        self.code.emit(Op::While { test, cond: more, body });
        done
    }

    fn window_memories(&mut self, parts: &Parts<'a>) -> Vec<Mem> {
        let types = self.scanned_types(parts.scans);
        types.into_iter().map(|ty| self.local_memory("window", ty, i64::from(SIZE))).collect()
    }

    /// Every work-item looks at a tile, the first at the nearest; then they fold what they found, older before newer, up
    /// to the newest that knows its prefix.
    fn look_at_window(
        &mut self,
        parts: &Parts<'a>,
        (place, nearest): (Place, Reg),
        tiles: &Tiles,
        (shared, window): (&Shared, &[Mem]),
        carries: &[Vec<Reg>],
    ) -> Lowered<()> {
        let size = i64::from(SIZE);
        let own = self.code.sub(nearest, place.item);
        let state = self.code.reg("state", ImpType::scalar(ScalarType::I32));
        let found = self.neutral_carries(parts)?;
        self.code.set(state, Operand::Const(Scalar::I32(PREFIX)));
        let exists = self.code.compare(CompareOp::SLe, Operand::i64(0), own);
        self.branch_if(exists, &mut |this| {
            this.code.emit(Op::Await { dst: state, mem: tiles.states, index: own });
            let whole = this.code.compare(CompareOp::Eq, state, Operand::Const(Scalar::I32(PREFIX)));
            this.code.open();
            this.load_all(&found, &tiles.prefixes, own);
            let then_block = this.code.close();
            this.code.open();
            this.load_all(&found, &tiles.totals, own);
            let else_block = this.code.close();
            this.code.emit(Op::If { cond: whole, then_block, else_block });
            Ok(())
        })?;
        self.store_all(window, &found, place.item.into());
        self.code.store(ScalarType::I32, shared.stops, place.item, state);
        self.code.emit(Op::Barrier);
        let mut half = 1;
        while half < size {
            let rest = self.code.binary(BinaryOp::And, place.item, Operand::i64(2 * half - 1));
            let folds = self.code.compare(CompareOp::Eq, rest, Operand::i64(0));
            let goes_on = self.code.compare(CompareOp::Eq, state, Operand::Const(Scalar::I32(TOTAL)));
            let takes = self.code.binary(BinaryOp::And, folds, goes_on);
            self.branch_if(takes, &mut |this| {
                let older = this.code.add(place.item, Operand::i64(half));
                this.precede_all(parts, &found, window, older)?;
                let stop = this.code.load("stop", ScalarType::I32, shared.stops, older);
                this.code.set(state, stop);
                Ok(())
            })?;
            self.code.emit(Op::Barrier);
            self.store_all(window, &found, place.item.into());
            self.code.store(ScalarType::I32, shared.stops, place.item, state);
            self.code.emit(Op::Barrier);
            half *= 2;
        }
        // The first work-item holds what the window comes to.
        self.precede_all(parts, carries, window, Operand::i64(0))?;
        let stop = self.code.load("stop", ScalarType::I32, shared.stops, Operand::i64(0));
        let stopped = self.code.compare(CompareOp::Eq, stop, Operand::Const(Scalar::I32(PREFIX)));
        let further = self.code.sub(nearest, Operand::i64(size));
        let next = self.code.select(stopped, Operand::i64(-1), further);
        self.code.set(nearest, next);
        // Nobody writes the next window before all have read this one.
        self.code.emit(Op::Barrier);
        Ok(())
    }

    /// Replaces the elements of a work-item's part by the scanned ones.
    fn finish_tile(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let carries = self.neutral_carries(parts)?;
        self.load_all(&carries, &shared.before, Operand::i64(0));
        let behind_first = self.code.compare(CompareOp::SLt, Operand::i64(0), place.item);
        self.branch_if(behind_first, &mut |this| {
            let other = this.code.sub(place.item, Operand::i64(1));
            this.advance_all(parts, &carries, &shared.totals, other)
        })?;
        let (first, end) = self.own_part(parts, place);
        let index = self.code.int_reg("k");
        self.code.open();
        let mut before = Vec::new();
        for carry in &carries {
            before.push(carry.iter().map(|&reg| self.code.copy("before", reg)).collect::<Vec<Reg>>());
        }
        let slot = self.apart(index.into());
        let done = self.advance_all(parts, &carries, &shared.elements, slot);
        let chosen: Vec<Vec<Reg>> = parts
            .scans
            .iter()
            .zip(before)
            .zip(&carries)
            .map(|((scan, before), after)| if scan.exclusive { before } else { after.clone() })
            .collect();
        self.store_all(&shared.elements, &chosen, slot);
        let body = self.code.close();
        self.code.emit(Op::For { index, from: first, to: end, step: 1, body });
        done
    }

    /// Stores the scanned elements, neighbours by neighbours.
    fn store_tile(&mut self, parts: &Parts<'a>, place: Place, shared: &Shared) -> Lowered<()> {
        let (body, n_scanned) = (&parts.op.body, shared.elements.len());
        let types = self.scanned_types(parts.scans);
        self.each_in_turn(place.item.into(), place.length, &mut |this, at| {
            let index = this.code.add(place.from, at);
            this.counted_as(index, &mut |this| {
                this.bind_index(parts, index);
                let further = &body.result[n_scanned..];
                if !further.is_empty() {
                    this.stms(body)?;
                }
                let mut scanned = Vec::new();
                let slot = this.apart(at.into());
                for (&mem, &elem) in shared.elements.iter().zip(&types) {
                    scanned.push(Value::Uniform(this.code.load("scanned", elem, mem, slot).into()));
                }
                let (arrays, space, span) = (&parts.stm.pattern, &parts.op.space, parts.stm.span);
                this.store_scanned(arrays, space, scanned, further, parts.post, span)
            })
        })
    }

    /// Registers at the neutral elements, by scan.
    fn neutral_carries(&mut self, parts: &Parts<'a>) -> Lowered<Vec<Vec<Reg>>> {
        parts.scans.iter().map(|scan| self.neutral_regs(&scan.neutral, parts.stm.span)).collect()
    }

    /// `carry = op(carry, mems[at])` for every scan.
    fn advance_all(
        &mut self,
        parts: &Parts<'a>,
        carries: &[Vec<Reg>],
        mems: &[Mem],
        at: Operand,
    ) -> Lowered<()> {
        let mut taken = 0;
        for (scan, carry) in parts.scans.iter().zip(carries) {
            let values = self.loaded(carry, &mems[taken..taken + carry.len()], at);
            taken += carry.len();
            self.advance(&scan.op, carry, &values)?;
        }
        Ok(())
    }

    /// `carry = op(mems[at], carry)` for every scan.
    fn precede_all(
        &mut self,
        parts: &Parts<'a>,
        carries: &[Vec<Reg>],
        mems: &[Mem],
        at: Operand,
    ) -> Lowered<()> {
        let mut taken = 0;
        for (scan, carry) in parts.scans.iter().zip(carries) {
            let mut args = self.loaded(carry, &mems[taken..taken + carry.len()], at);
            taken += carry.len();
            args.extend(carry.iter().map(|&reg| Value::Uniform(reg.into())));
            let next = self.apply(&scan.op, &args)?;
            self.set_all(carry, &next);
        }
        Ok(())
    }

    /// The elements of some memories at a place, of the types of registers.
    fn loaded(&mut self, like: &[Reg], mems: &[Mem], at: Operand) -> Vec<Value> {
        let mut values = Vec::new();
        for (&reg, &mem) in like.iter().zip(mems) {
            let elem = self.code.regs[reg].ty.scalar;
            values.push(Value::Uniform(self.code.load("x", elem, mem, at).into()));
        }
        values
    }

    fn load_all(&mut self, carries: &[Vec<Reg>], mems: &[Mem], at: Operand) {
        for (&reg, &mem) in carries.iter().flatten().zip(mems) {
            let elem = self.code.regs[reg].ty.scalar;
            let x = self.code.load("x", elem, mem, at);
            self.code.set(reg, x);
        }
    }

    fn store_all(&mut self, mems: &[Mem], carries: &[Vec<Reg>], at: Operand) {
        for (&reg, &mem) in carries.iter().flatten().zip(mems) {
            let elem = self.code.regs[reg].ty.scalar;
            self.code.store(elem, mem, at, reg);
        }
    }

    /// Copies the elements at a place of some memories to a place of others.
    fn move_all(&mut self, to: &[Mem], to_at: Operand, from: &[Mem], from_at: Operand) {
        for (&to, &from) in to.iter().zip(from) {
            let elem = self.local_elem(from);
            let x = self.code.load("x", elem, from, from_at);
            self.code.store(elem, to, to_at, x);
        }
    }

    /// The type of the elements of an array in local memory.
    fn local_elem(&self, mem: Mem) -> ScalarType {
        let arrays = self.group.iter().flat_map(|group| &group.local);
        arrays.into_iter().find(|array| array.mem == mem).map_or(ScalarType::I64, |array| array.elem)
    }
}
