//! Execution of single operations: values, lanes, memory, failures.

use warpwise_ir::entity::Entity;
use warpwise_prim::{Scalar, ScalarType};

use super::machine::{Frame, Stop, earlier};
use super::memory::{Block, Bytes};
use super::races::Touch;
use crate::op::{AtomicOp, Op, Order};
use crate::ops;
use crate::types::{Operand, Reg, StridedView};

impl Frame<'_> {
    /// Runs an operation without blocks.
    pub fn simple(&mut self, op: &Op) -> Result<(), Stop> {
        match op {
            Op::Move { dst, x } => {
                let lanes = self.width(*dst);
                let mut values = self.lanes(*x, lanes)?;
                if values.len() == 1 {
                    values = vec![values[0]; lanes];
                }
                self.set(*dst, values)
            }
            Op::Unary { dst, op, x } => self.lanewise(*dst, [*x], |[x]| Ok(op.eval(x))),
            Op::Binary { dst, op, x, y } => self.lanewise(*dst, [*x, *y], |[x, y]| {
                op.eval(x, y).ok_or_else(|| format!("{} {x:?} {y:?} in some lane", op.mnemonic()).into())
            }),
            Op::Ternary { dst, op, x, y, z } => {
                self.lanewise(*dst, [*x, *y, *z], |[x, y, z]| Ok(op.eval(x, y, z)))
            }
            Op::Compare { dst, op, x, y } => {
                self.lanewise(*dst, [*x, *y], |[x, y]| Ok(Scalar::Bool(op.eval(x, y))))
            }
            Op::Convert { dst, op, from, x } => {
                let to = self.scalar_type(*dst);
                self.lanewise(*dst, [*x], |[x]| {
                    if x.ty() != *from {
                        return Err(format!("a conversion from {from} of a {}", x.ty()).into());
                    }
                    Ok(op.eval(x, to))
                })
            }
            Op::Select { dst, cond, x, y } => {
                let mut conds = self.mask(*cond, self.width(*dst))?;
                conds.resize(self.width(*dst), conds[0]);
                let (x, y) = (self.lanes(*x, self.width(*dst))?, self.lanes(*y, self.width(*dst))?);
                if x.len() != conds.len() || y.len() != conds.len() {
                    return Err("a choice between vectors of different lanes".to_string().into());
                }
                let chosen = conds.iter().enumerate().map(|(i, &c)| if c { x[i] } else { y[i] }).collect();
                self.set(*dst, chosen)
            }
            Op::LaneIds { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Any { .. }
            | Op::All { .. }
            | Op::Count { .. }
            | Op::First { .. } => self.lane_op(op),
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Claim { .. }
            | Op::CompressStore { .. }
            | Op::Atomic { .. }
            | Op::SetMem { .. }
            | Op::ArenaAlloc { .. }
            | Op::ArenaMark { .. }
            | Op::ArenaReset { .. }
            | Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Copy { .. }
            | Op::Fill { .. } => self.memory_op(op),
            Op::Fail { check, iteration, values } => {
                let iteration = self.int(*iteration)?;
                let values = values.iter().map(|&x| self.scalar(x)).collect::<Result<_, _>>()?;
                let stop = Stop::Check { check: *check, iteration, values };
                match self.failed.take() {
                    None => Err(stop),
                    Some(first) => {
                        self.failed = Some(earlier(first, Some(stop)));
                        Ok(())
                    }
                }
            }
            Op::WaitFlag { mem, index } => {
                let flag = self.mem(*mem)?.borrow().load(ScalarType::I32, self.int(*index)?)?;
                if flag == Scalar::I32(0) {
                    Err("nobody has set the flag".to_string().into())
                } else {
                    Ok(())
                }
            }
            Op::SetFlag { mem, index } => {
                let index = self.int(*index)?;
                Ok(self.mem(*mem)?.borrow_mut().store(index, Scalar::I32(1))?)
            }
            // Work-groups run one after the other, so a word that is not there now never will be.
            Op::Await { dst, mem, index, order } => {
                let elem = self.scalar_type(*dst);
                let word = self.mem(*mem)?.borrow().load(elem, self.int(*index)?)?;
                if word.as_int() == Some(0) {
                    return Err("nobody has published what is waited for".to_string().into());
                }
                if let (Order::Released, Some((who, _))) = (order, &mut self.observed) {
                    who.acquired = true;
                }
                self.set(*dst, vec![word])
            }
            Op::Publish { mem, index, value, order } => {
                if let (Order::Released, Some((who, touches))) = (order, &self.observed) {
                    touches.borrow_mut().publish(*who);
                }
                let (index, word) = (self.int(*index)?, self.scalar(*value)?);
                Ok(self.mem(*mem)?.borrow_mut().store(index, word)?)
            }
            Op::Ticket { dst, mem, index } => {
                let (index, block) = (self.int(*index)?, self.mem(*mem)?);
                let number = block.borrow().load(ScalarType::I32, index)?.as_int().unwrap_or(0);
                block.borrow_mut().store(index, Scalar::int(ScalarType::I32, number + 1))?;
                self.set(*dst, vec![Scalar::I64(number)])
            }
            Op::Threads { dst } => self.set(*dst, vec![Scalar::I64(1)]),
            Op::Tuned { dst, default, .. } => self.set(*dst, vec![Scalar::I64(*default)]),
            Op::Barrier => Err("a barrier outside of a work-group".to_string().into()),
            Op::Locked { .. } => Err("a lock outside of a device".to_string().into()),
            Op::If { .. }
            | Op::For { .. }
            | Op::While { .. }
            | Op::Scope { .. }
            | Op::Leave { .. }
            | Op::Launch(_)
            | Op::Call { .. } => Err("control flow where there is none".to_string().into()),
        }
    }

    fn lanewise<const N: usize>(
        &mut self,
        dst: Reg,
        args: [Operand; N],
        op: impl Fn([Scalar; N]) -> Result<Scalar, Stop>,
    ) -> Result<(), Stop> {
        let lanes = self.width(dst);
        let mut columns = Vec::new();
        for arg in args {
            let column = self.lanes(arg, lanes)?;
            if column.len() != lanes {
                return Err(format!("{} lanes where {lanes} are wanted", column.len()).into());
            }
            columns.push(column);
        }
        let results = (0..lanes).map(|lane| op(std::array::from_fn(|i| columns[i][lane])));
        self.set(dst, results.collect::<Result<_, _>>()?)
    }

    fn mask(&self, mask: Operand, lanes: usize) -> Result<Vec<bool>, Stop> {
        let truth =
            |value: &Scalar| value.as_bool().ok_or_else(|| Stop::Wrong(format!("{value:?} in a mask")));
        self.lanes(mask, lanes)?.iter().map(truth).collect()
    }

    fn lane_op(&mut self, op: &Op) -> Result<(), Stop> {
        match op {
            Op::LaneIds { dst } => {
                let ty = self.scalar_type(*dst);
                let ids = (0..self.width(*dst)).map(|lane| Scalar::int(ty, lane as i64)).collect();
                self.set(*dst, ids)
            }
            Op::Extract { dst, x, lane } => {
                let (values, lane) = (self.lanes(*x, 1)?, self.int(*lane)?);
                let value = usize::try_from(lane).ok().and_then(|lane| values.get(lane)).copied();
                self.set(*dst, vec![value.ok_or_else(|| format!("lane {lane} of {}", values.len()))?])
            }
            Op::Insert { dst, x, lane } => {
                let mut values = self.lanes((*dst).into(), 1)?;
                let (value, lane) = (self.scalar(*x)?, self.int(*lane)?);
                let place = usize::try_from(lane).ok().and_then(|lane| values.get_mut(lane));
                *place.ok_or_else(|| format!("lane {lane}"))? = value;
                self.set(*dst, values)
            }
            Op::Shuffle { dst, x, y, lanes } => {
                let width = self.operand_width(*x).max(self.operand_width(*y));
                let both = [self.lanes(*x, width)?, self.lanes(*y, width)?].concat();
                let taken = lanes.iter().map(|&lane| both.get(usize::from(lane)).copied());
                let taken: Option<Vec<Scalar>> = taken.collect();
                self.set(*dst, taken.ok_or_else(|| "a shuffle of lanes that are not there".to_string())?)
            }
            Op::Any { dst, mask } => {
                let any = self.mask(*mask, 1)?.contains(&true);
                self.set(*dst, vec![Scalar::Bool(any)])
            }
            Op::All { dst, mask } => {
                let all = !self.mask(*mask, 1)?.contains(&false);
                self.set(*dst, vec![Scalar::Bool(all)])
            }
            Op::Count { dst, mask } => {
                let count = self.mask(*mask, 1)?.iter().filter(|&&holds| holds).count();
                self.set(*dst, vec![Scalar::I64(count as i64)])
            }
            Op::First { dst, mask } => {
                let first = self.mask(*mask, 1)?.iter().position(|&holds| holds);
                let first = first.ok_or_else(|| "the first lane of an empty mask".to_string())?;
                self.set(*dst, vec![Scalar::I64(first as i64)])
            }
            other @ ops!(value, access, SetMem, arena, control, Fail, flag, group, host) => {
                Err(format!("{other:?} is no operation on lanes").into())
            }
        }
    }

    /// Returns the element that each lane accesses; `None` where the mask does not hold.
    fn places(&self, index: Operand, lanes: usize, mask: Option<Operand>) -> Result<Vec<Option<i64>>, Stop> {
        let mask = match mask {
            None => vec![true; lanes],
            Some(mask) => self.mask(mask, lanes)?,
        };
        let indices = self.lanes(index, 1)?;
        let as_int =
            |value: Scalar| value.as_int().ok_or_else(|| Stop::Wrong("an index that is no integer".into()));
        let mut places = Vec::with_capacity(lanes);
        for (lane, &runs) in mask.iter().enumerate() {
            let place = match indices[..] {
                [first] => as_int(first)?.wrapping_add(lane as i64),
                _ => as_int(*indices.get(lane).ok_or_else(|| "too few indices".to_string())?)?,
            };
            places.push(runs.then_some(place));
        }
        Ok(places)
    }

    fn memory_op(&mut self, op: &Op) -> Result<(), Stop> {
        match op {
            Op::Load { dst, mem, index, mask, ahead: _ } => {
                let (elem, block) = (self.scalar_type(*dst), self.mem(*mem)?);
                let mut values = Vec::new();
                for place in self.places(*index, self.width(*dst), *mask)? {
                    values.push(match place {
                        Some(place) => {
                            self.touch(Touch::Read, &block, elem, place)?;
                            block.borrow().load(elem, place)?
                        }
                        None => Scalar::zero(elem),
                    });
                }
                self.set(*dst, values)
            }
            Op::Store { mem, index, value, elem, mask, stream: _ } => {
                let values = self.typed(*value, *elem)?;
                let block = self.mem(*mem)?;
                for (place, value) in self.places(*index, values.len(), *mask)?.into_iter().zip(values) {
                    if let Some(place) = place {
                        let stays = block.borrow().holds(place, value);
                        let touch = if stays { Touch::Rewrite } else { Touch::Write };
                        self.touch(touch, &block, *elem, place)?;
                        block.borrow_mut().store(place, value)?;
                    }
                }
                Ok(())
            }
            Op::Claim { mem, index, elem: _ } => {
                self.mem(*mem)?;
                self.int(*index).map(|_| ())
            }
            Op::CompressStore { mem, index, value, elem, mask, spare: _ } => {
                let values = self.typed(*value, *elem)?;
                let mask = self.mask(*mask, values.len())?;
                let (first, block) = (self.int(*index)?, self.mem(*mem)?);
                let kept = values.into_iter().zip(mask).filter(|(_, holds)| *holds);
                for (i, (value, _)) in kept.enumerate() {
                    block.borrow_mut().store(first + i as i64, value)?;
                }
                Ok(())
            }
            Op::Atomic { op, mem, index, value, elem, mask } => {
                let values = self.typed(*value, *elem)?;
                let block = self.mem(*mem)?;
                for (place, value) in self.places(*index, values.len(), *mask)?.into_iter().zip(values) {
                    if let Some(place) = place {
                        self.touch(Touch::Atomic, &block, *elem, place)?;
                        combine(*op, &block, *elem, place, value)?;
                    }
                }
                Ok(())
            }
            Op::SetMem { dst, src } => {
                self.mems[dst.index()] = Some(self.mem(*src)?);
                Ok(())
            }
            Op::ArenaAlloc { dst, bytes } => {
                let bytes = self.int(*bytes)?;
                self.arena += bytes.max(0);
                self.mems[dst.index()] = Some(Bytes::fresh(bytes)?);
                Ok(())
            }
            Op::ArenaMark { dst } => self.set(*dst, vec![Scalar::I64(self.arena)]),
            Op::ArenaReset { mark } => {
                self.arena = self.int(*mark)?;
                Ok(())
            }
            Op::Alloc { dst, bytes } => {
                self.mems[dst.index()] = Some(Bytes::fresh(self.int(*bytes)?)?);
                Ok(())
            }
            Op::Release { mem } => {
                self.mem(*mem)?;
                self.mems[mem.index()] = None;
                Ok(())
            }
            Op::Copy { elem, shape, dst, src } => self.copy(*elem, shape, dst, src),
            Op::Fill { mem, index, count, value, elem } => {
                let (block, first, value) =
                    (self.mem(*mem)?, self.int(*index)?, self.typed(*value, *elem)?[0]);
                for i in 0..self.int(*count)?.max(0) {
                    block.borrow_mut().store(first + i, value)?;
                }
                Ok(())
            }
            other @ ops!(value, lane, control, Fail, flag, group, Launch, Tuned, Threads, Call) => {
                Err(format!("{other:?} is no operation on memory").into())
            }
        }
    }

    /// Records an access to an element, if accesses are recorded.
    fn touch(&self, touch: Touch, block: &Block, elem: ScalarType, place: i64) -> Result<(), Stop> {
        let Some((who, touches)) = &self.observed else { return Ok(()) };
        // The lock orders all accesses to what it guards.
        let touch = if self.locked { Touch::Atomic } else { touch };
        let bytes = elem.bytes() as i64;
        Ok(touches.borrow_mut().touch(*who, touch, block, (place.saturating_mul(bytes), bytes))?)
    }

    /// Returns the lanes of a value that must have this type.
    fn typed(&self, value: Operand, elem: ScalarType) -> Result<Vec<Scalar>, Stop> {
        let values = self.lanes(value, 1)?;
        if values.iter().any(|value| value.ty() != elem) {
            return Err(format!("a value that is no {elem} is stored as one").into());
        }
        Ok(values)
    }

    fn copy(
        &mut self,
        elem: ScalarType,
        shape: &[Operand],
        dst: &StridedView,
        src: &StridedView,
    ) -> Result<(), Stop> {
        let ints = |xs: &[Operand]| xs.iter().map(|&x| self.int(x)).collect::<Result<Vec<i64>, Stop>>();
        let (shape, to, from) = (ints(shape)?, ints(&dst.strides)?, ints(&src.strides)?);
        let (to_block, from_block) = (self.mem(dst.mem)?, self.mem(src.mem)?);
        let (to_first, from_first) = (self.int(dst.offset)?, self.int(src.offset)?);
        if shape.iter().any(|&extent| extent <= 0) {
            return Ok(());
        }
        let count = shape.iter().try_fold(1, |count: i64, &extent| count.checked_mul(extent));
        let count = count.ok_or_else(|| "a copy of more elements than there can be".to_string())?;
        for flat in 0..count {
            let (mut rest, mut to_at, mut from_at) = (flat, to_first, from_first);
            for dim in (0..shape.len()).rev() {
                let index = rest % shape[dim];
                rest /= shape[dim];
                to_at += index * to[dim];
                from_at += index * from[dim];
            }
            let value = from_block.borrow().load(elem, from_at)?;
            to_block.borrow_mut().store(to_at, value)?;
        }
        Ok(())
    }
}

fn combine(op: AtomicOp, block: &Block, elem: ScalarType, place: i64, value: Scalar) -> Result<(), Stop> {
    let new = match op {
        AtomicOp::Exchange => value,
        AtomicOp::Binary(op) => {
            let old = block.borrow().load(elem, place)?;
            op.eval(old, value).ok_or_else(|| "an atomic operation without a result".to_string())?
        }
    };
    Ok(block.borrow_mut().store(place, new)?)
}
