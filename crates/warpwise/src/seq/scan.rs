//! Sequential states of scans and accumulations.
//!
//! ```text
//! f(s: i64, x: [n]i64) -> i64
//! ==> over a chunk, where states are scalars and elements are regular
//! main(width, n, s: i64, xs: [width][n]i64) -> (i64, [width]i64) =
//!   loop (s, states) for i < width { s' = f s xs[i]; (s', states with [i] = s') }
//! ```
//!
//! A scan of this form makes one call per chunk. Other scans make one call per element, because states that may grow cannot be
//! stored in an array.
//!
//! Absent: parallel scans of associative functions (fold and scan within elements do that).

use warpwise_ir::builder::Builder;
use warpwise_ir::entity::Entity;
use warpwise_ir::{
    EntryPoint, EntryResult, EntryType, Expr, Function, FunctionId, LoopParam, Operand, Program, SliceDim,
    Type, Var,
};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Value;
use warpwise_runtime::memory::MemoryPool;

use super::Element;
use super::batch::{Batch, Elements, Extents};
use super::error::SeqCause;
use super::fold::{element, variables};
use super::program::{ChunkProgram, ElementProgram};
use super::slot::{Slot, given};
use crate::context::Context;
use crate::error::Error;
use crate::graph::{self, ArrayTy, Ref};
use crate::lower::{ENTRY, Lowered, lower, parameter};

/// A scan: its input, and the function from a state and an element to the next state.
pub struct Scan {
    /// Arrays of an element.
    pub input: Vec<Ref>,
    /// Slots that the elements are computed from.
    pub slots: Vec<Slot>,
    /// Components of the initial state.
    pub initial: Vec<Value>,
    /// Function from a state and an element to the next state.
    pub advance: Advance,
}

/// A function of a state and an element, as graphs.
pub struct Advance {
    /// Parameters for the state, then for the element.
    params: Vec<Ref>,
    /// Number of parameters for the state.
    states: usize,
    /// The next state.
    results: Vec<Ref>,
}

/// A running scan.
pub struct Scanning {
    input: ChunkProgram,
    step: Step,
    state: Vec<Value>,
    types: Vec<ArrayTy>,
}

/// How states are computed.
enum Step {
    /// One call per element.
    Each(ElementProgram),
    /// One call per chunk.
    Chunk(ElementProgram),
}

impl Advance {
    /// Builds the graphs of a function of a state and an element.
    #[track_caller]
    pub fn new<S: Element, A: Element>(f: impl FnOnce(S, A) -> S) -> Advance {
        let mut types = Vec::new();
        S::types(&mut types);
        let states = types.len();
        A::types(&mut types);
        let params = variables(&types, 0);
        let (state, element) = (element(&params[..states]), element(&params[states..]));
        let mut results = Vec::new();
        crate::acc::Arrays::nodes(&graph::scope(|| f(state, element)), &mut results);
        Advance { params, states, results }
    }

    /// Compiles a program that may overwrite the state with the next one.
    pub fn consuming(&self, context: &Context) -> Result<ElementProgram, Error> {
        ElementProgram::consuming(context, &self.params, self.states, &self.results)
    }

    /// Returns the types of the state's arrays.
    fn types(&self) -> Vec<ArrayTy> {
        self.results.iter().filter_map(|result| result.ty.array().cloned()).collect()
    }

    /// Builds a program from a state and the elements of a chunk to the last state and all states, for scalar states.
    fn over_chunk(&self) -> Result<Lowered, Error> {
        let Lowered { program, used } = lower(&self.params, &self.results)?;
        let callee = &program.functions[FunctionId::new(0)];
        let arrays: Vec<&ArrayTy> =
            self.params.iter().chain(&used).filter_map(|param| param.ty.array()).collect();
        let mut function = Function::new(ENTRY);
        let width = function.param("width", Type::I64, false);
        let mut taken = Taken::default();
        let mut entry = Vec::new();
        let sizes: Vec<Vec<Operand>> = arrays
            .iter()
            .map(|ty| (0..ty.rank).map(|_| function.param("n", Type::I64, false).into()).collect())
            .collect();
        for (at, (ty, sizes)) in arrays.iter().zip(&sizes).enumerate() {
            let is_element = (self.states..self.params.len()).contains(&at);
            for component in &ty.components {
                let outer = is_element.then_some(Operand::Var(width));
                let shape: Vec<Operand> = outer.into_iter().chain(sizes.iter().copied()).collect();
                entry.push(surface(*component, shape.len()));
                let var = function.param("x", Type::array(component.scalar(), shape), false);
                match at {
                    _ if at < self.states => taken.states.push((var, *component)),
                    _ if is_element => taken.elements.push((var, sizes.clone())),
                    _ => taken.used.push(var.into()),
                }
            }
        }
        let size_params = 1 + sizes.iter().map(Vec::len).sum::<usize>();
        let results = taken.states_of(&mut function, callee, width, sizes.concat());
        function.entry = Some(EntryPoint {
            name: ENTRY.to_string(),
            size_params,
            params: entry.into_iter().map(parameter).collect(),
            size_results: 0,
            tuple: None,
            results: results.into_iter().map(EntryResult::from).collect(),
        });
        let mut program = Program::default();
        program.functions.push(function);
        Ok(Lowered { program, used })
    }
}

/// Parameters of a scan of a chunk.
#[derive(Default)]
struct Taken {
    states: Vec<(Var, ValueType)>,
    /// Elements of a chunk, with the sizes of one element.
    elements: Vec<(Var, Vec<Operand>)>,
    used: Vec<Operand>,
}

impl Taken {
    /// Builds the body. Returns the types of the results.
    fn states_of(
        &self,
        function: &mut Function,
        callee: &Function,
        width: Var,
        sizes: Vec<Operand>,
    ) -> Vec<EntryType> {
        let mut b = Builder::new(function);
        let mut params = Vec::new();
        for (var, _) in &self.states {
            let state = b.function.fresh_like(*var);
            params.push(LoopParam { var: state, init: (*var).into(), consumed: false });
        }
        for (_, ty) in &self.states {
            let (elem, shape) = (ty.scalar(), [Operand::Var(width)].into_iter().collect());
            let scratch = b.bind_one("states", Expr::Scratch { elem, shape });
            let states = b.function.fresh_like(scratch);
            params.push(LoopParam { var: states, init: scratch.into(), consumed: true });
        }
        let results = b.for_loop("state", width, params, |b, i, params| {
            let (states, outs) = params.split_at(self.states.len());
            let mut arguments = sizes.clone();
            arguments.extend(states.iter().map(|state| Operand::Var(state.var)));
            for (elements, sizes) in &self.elements {
                arguments.push(match sizes.is_empty() {
                    true => b.index("x", *elements, &[i.into()]).into(),
                    false => {
                        let whole =
                            |len: &Operand| SliceDim::Range { start: 0.into(), len: *len, stride: 1.into() };
                        let dims =
                            [SliceDim::Fix(i.into())].into_iter().chain(sizes.iter().map(whole)).collect();
                        b.slice("x", *elements, dims).into()
                    }
                });
            }
            arguments.extend(&self.used);
            let mut next = b.inline(callee, &arguments);
            for (out, state) in outs.iter().zip(next.clone()) {
                next.push(b.update("states", out.var, vec![SliceDim::Fix(i.into())], state).into());
            }
            next
        });
        let results: Vec<Operand> = results.into_iter().map(Operand::Var).collect();
        let unique = vec![false; results.len()];
        b.finish(results, &unique);
        let ranks = [0, 1].into_iter();
        ranks.flat_map(|rank| self.states.iter().map(move |(_, ty)| surface(*ty, rank))).collect()
    }
}

impl Scanning {
    /// Compiles a scan.
    pub fn new(context: &Context, scan: &Scan) -> Result<Scanning, Error> {
        let input = ChunkProgram::new(context, &given(&scan.slots), &scan.input)?;
        let types = scan.advance.types();
        let is_flat = types.iter().all(|ty| ty.rank == 0) && input.regular().iter().all(|&regular| regular);
        let step = if is_flat {
            let Advance { params, states, results } = &scan.advance;
            let make = || scan.advance.over_chunk();
            Step::Chunk(ElementProgram::made(context, ("over a chunk", states), params, results, make)?)
        } else {
            Step::Each(ElementProgram::new(context, &scan.advance.params, &scan.advance.results)?)
        };
        Ok(Scanning { input, step, state: scan.initial.clone(), types })
    }

    /// Computes the states after the elements of a chunk. Returns them, and the components of the last one.
    pub fn run(&self, given: &Batch, memory: &MemoryPool) -> Result<(Batch, Vec<Value>), SeqCause> {
        let input = self.input.call(given, memory)?;
        match &self.step {
            Step::Each(step) => {
                let mut state = self.state.clone();
                let mut states = Vec::new();
                for at in 0..input.count {
                    let mut arguments = state;
                    arguments.extend(input.lent(at));
                    state = step.call(arguments, memory)?;
                    states.push(state.clone());
                }
                Ok((Batch::pack(&states, &self.types, memory)?, state))
            }
            Step::Chunk(step) => {
                let mut arguments = self.state.clone();
                for elements in &input.arrays {
                    let columns = elements.columns.iter().zip(&elements.types);
                    arguments.extend(columns.map(|(column, &ty)| Value::array(ty, column.clone())));
                }
                let mut last = step.call(arguments, memory)?;
                let mut states = last.split_off(last.len() / 2).into_iter();
                let mut arrays = Vec::new();
                for ty in &self.types {
                    let columns = states.by_ref().take(ty.components.len());
                    let columns = columns.filter_map(|value| match value {
                        Value::Array { array, .. } => Some(array),
                        Value::Scalar { .. } => None,
                    });
                    let (columns, types) = (columns.collect(), ty.components.to_vec());
                    arrays.push(Elements { extents: Extents::Same(Vec::new()), types, columns });
                }
                Ok((Batch { count: input.count, arrays }, last))
            }
        }
    }

    /// Sets the state from which the scan continues.
    pub fn go_on(&mut self, state: Vec<Value>) {
        self.state = state;
    }
}

fn surface(ty: ValueType, rank: usize) -> EntryType {
    if rank == 0 { EntryType::Scalar(ty) } else { EntryType::Array(ty, rank) }
}
