//! Folds of elements along a fixed tree.
//!
//! ```text
//! numbers of elements   0 1 2 3 4 5 6            arity 2
//! level 1               (01) (23) (45) 6
//! level 2               ((01)(23)) (45) 6
//! at the end            ((01)(23)) ((45) 6)
//! ```
//!
//! The tree depends only on the numbers of elements, not on the chunks in which they arrive. All complete groups are combined at
//! once, by the combining function of a group, lifted to many groups; the remaining elements wait on their level. Elements of
//! rank 0 are combined in groups of eight. Elements whose extents may differ are combined pair by pair.
//!
//! Absent: use of commutativity.

use warpwise_prim::Scalar as ScalarValue;
use warpwise_runtime::array::{Array as Column, Value};
use warpwise_runtime::memory::MemoryPool;

use super::Element;
use super::batch::{Batch, Elements, Extents};
use super::program::{ChunkProgram, ElementProgram, Given};
use super::slot::Gives;
use crate::array::host_memory;
use crate::context::Context;
use crate::error::Error;
use crate::graph::{self, ArrayTy, Axis, Op, Ref, Ty};

/// Number of elements of a group, for elements of rank 0.
const SCALARS: usize = 8;

/// The function that combines two elements, as graphs.
pub struct Combine {
    /// Parameters for the left element, then for the right one.
    params: Vec<Ref>,
    /// Arrays of the combination.
    results: Vec<Ref>,
    /// Parameters for a group: each array with one more dimension.
    group: Vec<Ref>,
    /// Arrays of the combination of a group.
    combined: Vec<Ref>,
    arity: usize,
}

impl Combine {
    /// Builds the graphs of a function of two elements.
    #[track_caller]
    pub fn new<A: Element>(f: impl Fn(A, A) -> A) -> Combine {
        let mut types = Vec::new();
        A::types(&mut types);
        let arity = if types.iter().all(|ty| ty.rank == 0) { SCALARS } else { 2 };
        let (left, right) = (variables(&types, 0), variables(&types, 0));
        let pair = graph::scope(|| f(element(&left), element(&right)));
        let group = variables(&types, 1);
        let whole = graph::scope(|| {
            let members = (0..arity).map(|at| element(&members(&group, &types, at)));
            halves(members.collect(), &f)
        });
        let nodes = |element: &A| {
            let mut nodes = Vec::new();
            crate::acc::Arrays::nodes(element, &mut nodes);
            nodes
        };
        Combine {
            params: left.into_iter().chain(right).collect(),
            results: nodes(&pair),
            group,
            combined: nodes(&whole),
            arity,
        }
    }
}

/// A running fold.
pub struct Tree {
    pair: ElementProgram,
    /// Program for groups of elements whose extents are the same by construction.
    group: Option<ChunkProgram>,
    arity: usize,
    /// Elements that wait for the rest of their group, by level.
    levels: Vec<Batch>,
    /// Waiting elements if extents may differ: at most one on each level.
    pending: Vec<Option<Vec<Value>>>,
    memory: MemoryPool,
}

impl Tree {
    /// Creates a fold of no elements.
    pub fn new(context: &Context, combine: &Combine, regular: bool) -> Result<Tree, Error> {
        let pair = ElementProgram::new(context, &combine.params, &combine.results)?;
        let group = if regular { combine.lifted(context)? } else { None };
        let memory = host_memory().clone();
        let (levels, pending) = (Vec::new(), Vec::new());
        Ok(Tree { pair, group, arity: combine.arity, levels, pending, memory })
    }

    /// Adds the next elements.
    pub fn add(&mut self, batch: &Batch) -> Result<(), Error> {
        if self.group.is_some() {
            return self.add_groups(batch.clone());
        }
        for at in 0..batch.count {
            let mut carried = batch.lent(at);
            let mut level = 0;
            while let Some(earlier) = self.pending.get_mut(level).and_then(Option::take) {
                carried = self.combined(earlier, carried)?;
                level += 1;
            }
            if level == self.pending.len() {
                self.pending.push(None);
            }
            if level == 0 {
                carried = batch.element(at, &self.memory)?;
            }
            self.pending[level] = Some(carried);
        }
        Ok(())
    }

    fn add_groups(&mut self, mut batch: Batch) -> Result<(), Error> {
        let mut level = 0;
        while batch.count > 0 {
            if level == self.levels.len() {
                self.levels.push(Batch::default());
            }
            let all = std::mem::take(&mut self.levels[level]).followed_by(&batch, &self.memory)?;
            let complete = all.count / self.arity * self.arity;
            // Copied, so that the rest does not keep the memory of the whole chunk alive.
            self.levels[level] = all.part(complete, all.count).copied(&self.memory)?;
            if complete == 0 {
                break;
            }
            let groups = grouped(&all.part(0, complete), self.arity);
            batch = match &self.group {
                Some(program) => program.call(&groups, &self.memory)?,
                None => Batch::default(),
            };
            level += 1;
        }
        Ok(())
    }

    /// Combines the initial element with all elements. Returns the result's components.
    pub fn finish(mut self, initial: Vec<Value>) -> Result<Vec<Value>, Error> {
        let mut later: Option<Vec<Value>> = None;
        let levels = std::mem::take(&mut self.levels);
        for level in levels {
            let mut group: Vec<Vec<Value>> = Vec::new();
            for at in 0..level.count {
                group.push(level.element(at, &self.memory)?);
            }
            group.extend(later.take());
            let mut group = group.into_iter();
            later = group.next();
            for next in group {
                let earlier = later.take().unwrap_or_default();
                later = Some(self.combined(earlier, next)?);
            }
        }
        for earlier in std::mem::take(&mut self.pending).into_iter().flatten() {
            later = Some(match later.take() {
                Some(later) => self.combined(earlier, later)?,
                None => earlier,
            });
        }
        match later {
            Some(all) => self.combined(initial, all),
            None => Ok(initial),
        }
    }

    fn combined(&self, left: Vec<Value>, right: Vec<Value>) -> Result<Vec<Value>, Error> {
        self.pair.call(left.into_iter().chain(right).collect(), &self.memory)
    }
}

impl Combine {
    /// Compiles the function of many groups; `None` if groups of regular elements have irregular results.
    fn lifted(&self, context: &Context) -> Result<Option<ChunkProgram>, Error> {
        let given: Vec<Given> =
            self.group.iter().map(|param| Given { param: param.clone(), gives: Gives::Regular }).collect();
        let program = ChunkProgram::new(context, &given, &self.combined)?;
        let regular = program.regular().iter().all(|&regular| regular);
        Ok(regular.then_some(program))
    }
}

/// Makes parameters for arrays of these types with `more` additional dimensions.
#[track_caller]
pub fn variables(types: &[ArrayTy], more: usize) -> Vec<Ref> {
    let place = std::panic::Location::caller();
    let variable =
        |ty: &ArrayTy| graph::parameter(Ty::of_array(ty.rank + more, ty.components.clone()), place);
    types.iter().map(variable).collect()
}

/// Makes an element from its arrays.
pub fn element<A: Element>(nodes: &[Ref]) -> A {
    let nodes: Vec<Ref> = nodes.to_vec();
    A::of_nodes(&mut nodes.into_iter()).expect("there is a node for each array")
}

/// Returns the arrays of the element at position `at` of a group.
#[track_caller]
fn members(group: &[Ref], types: &[ArrayTy], at: usize) -> Vec<Ref> {
    let number = vec![ScalarValue::I64(at as i64)];
    let index = graph::node(Op::Constant(number), Vec::new(), Vec::new(), Ty::index(1));
    let member = |(param, ty): (&Ref, &ArrayTy)| {
        let mut axes = vec![Axis::All; ty.rank + 1];
        axes[0] = Axis::Fixed;
        let inputs = vec![param.clone(), index.clone()];
        graph::node(Op::Slice(axes), inputs, Vec::new(), Ty::of_array(ty.rank, ty.components.clone()))
    };
    group.iter().zip(types).map(member).collect()
}

/// Combines neighbours, then neighbouring results, until one is left.
fn halves<A: Element>(mut members: Vec<A>, f: &impl Fn(A, A) -> A) -> A {
    while members.len() > 1 {
        members = members.chunks(2).map(|pair| f(pair[0].clone(), pair[pair.len() - 1].clone())).collect();
    }
    members.swap_remove(0)
}

/// Regroups a batch so that each group of elements is one element.
fn grouped(batch: &Batch, arity: usize) -> Batch {
    let group = |elements: &Elements| {
        let shape = match &elements.extents {
            Extents::Same(shape) => [&[arity as i64], shape.as_slice()].concat(),
            Extents::Numbers { .. } | Extents::Each { .. } => Vec::new(),
        };
        let whole = [&[(batch.count / arity) as i64], shape.as_slice()].concat();
        let columns: Vec<Column> = elements
            .columns
            .iter()
            .map(|column| column.reshape(&whole).unwrap_or_else(|| column.clone()))
            .collect();
        Elements { extents: Extents::Same(shape), types: elements.types.clone(), columns }
    };
    Batch { count: batch.count / arity, arrays: batch.arrays.iter().map(group).collect() }
}
