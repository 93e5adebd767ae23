//! The programs of a pass: functions of one element, lifted to a chunk of elements.
//!
//! The function from the elements of all sources to the arrays that all consumers take is lowered like any program, then lifted
//! ([`warpwise_opt::flatten::chunk`]): an operation on one element becomes an operation on all elements of a chunk. So a chain of
//! maps is one program, and regular arrays need no segment descriptors.
//!
//! Absent: foreign functions (chunks compute their fallbacks).

use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use warpwise_ir::entity::Entity;
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{
    EntryParam, EntryPoint, EntryResult, EntryType, Expr, Function, FunctionId, Operand, Program, Stm, Var,
};
use warpwise_opt::flatten::{Chunk, Folds, GivenAs, TakenAs, Varies, chunk};
use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::Value;
use warpwise_runtime::memory::MemoryPool;

use super::batch::{Batch, Elements, Extents, Numbers};
use super::slot::Gives;
use crate::context::{Context, Part};
use crate::error::Error;
use crate::foreign::DeviceKind;
use crate::graph::{ArrayTy, Form, Ref};
use crate::lower::{ENTRY, Lowered, lower, lower_with_extents};

/// A parameter of a function of one element.
#[derive(Clone)]
pub struct Given {
    /// The parameter.
    pub param: Ref,
    /// Known property of the elements.
    pub gives: Gives,
}

/// Experience of earlier passes with a program; shared by all passes of the program.
#[derive(Clone, Default)]
pub struct Experience(Arc<Mutex<Option<Chunks>>>);

/// Chunk size at the end of a pass.
#[derive(Clone, Copy)]
struct Chunks {
    elements: u64,
    /// Maximum size of chunks in bytes.
    budget: u64,
}

impl Experience {
    /// Returns the number of elements per chunk at the end of the last pass, if its budget was not larger.
    pub fn elements(&self, budget: u64) -> Option<u64> {
        let last = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.filter(|chunks| chunks.budget <= budget).map(|chunks| chunks.elements)
    }

    /// Records the chunk size for the next pass.
    pub fn keep(&self, elements: u64, budget: u64) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(Chunks { elements, budget });
    }
}

/// A function of one element, compiled for chunks.
pub struct ChunkProgram {
    part: Part,
    /// Experience of the passes that ran it.
    pub experience: Experience,
    /// Whether it takes the number of elements as an argument.
    is_counted: bool,
    /// Form of each result: for every array its extents, then its components.
    results: Vec<GivenAs>,
    arrays: Vec<ArrayTy>,
}

/// A function of one element, compiled unchanged, which runs on one element at a time.
pub struct ElementProgram(Part);

impl ElementProgram {
    /// Compiles the function from these parameters to these arrays.
    pub fn new(context: &Context, params: &[Ref], results: &[Ref]) -> Result<ElementProgram, Error> {
        ElementProgram::made(context, "whole", params, results, || lower(params, results))
    }

    /// Compiles a program made from this function; `purpose` identifies how.
    pub fn made(
        context: &Context,
        purpose: impl Hash,
        params: &[Ref],
        results: &[Ref],
        make: impl FnOnce() -> Result<Lowered, Error>,
    ) -> Result<ElementProgram, Error> {
        let form = Form::new(purpose, params, results);
        Ok(ElementProgram(context.load_form(&form, || Ok((make()?, ())))?.0))
    }

    /// Works like [`new`](ElementProgram::new), but may overwrite the arrays of the first parameters.
    pub fn consuming(
        context: &Context,
        params: &[Ref],
        consumed: usize,
        results: &[Ref],
    ) -> Result<ElementProgram, Error> {
        let make = || Ok(consuming(lower(params, results)?, &params[..consumed]));
        ElementProgram::made(context, ("consuming", consumed), params, results, make)
    }

    /// Computes the components of the results from the components of one element.
    pub fn call(&self, arguments: Vec<Value>, memory: &MemoryPool) -> Result<Vec<Value>, Error> {
        self.0.call(arguments, memory)
    }
}

/// Marks the arrays of the `consumed` parameters as consumed.
fn consuming(mut lowered: Lowered, consumed: &[Ref]) -> Lowered {
    let arrays = consumed.iter().filter_map(|param| param.ty.array());
    let columns: usize = arrays.map(|array| array.components.len()).sum();
    for function in lowered.program.functions.values_mut() {
        let Some(entry) = &mut function.entry else { continue };
        let own = function.params[entry.size_params..].iter_mut();
        let mut given = Vec::new();
        for (param, entry) in own.zip(&mut entry.params).take(columns) {
            let is_array = matches!(entry.ty, EntryType::Array(..));
            (param.consumed, entry.consumed) = (is_array, is_array);
            given.extend(is_array.then_some(param.var));
        }
        given.into_iter().for_each(|param| overwrite(function, param));
    }
    lowered
}

/// Removes the copy of a consumed array if the copy is the array's only use.
fn overwrite(function: &mut Function, param: Var) {
    let uses = |stm: &Stm| free_in_expr(function, &stm.expr).contains(param);
    let mut users = (0..function.body.stms.len()).filter(|&at| uses(&function.body.stms[at]));
    let (user, other) = (users.next(), users.next());
    let is_result = function.body.result.contains(&Operand::Var(param));
    if let (Some(at), None, false) = (user, other, is_result)
        && matches!(function.body.stms[at].expr, Expr::Copy(_))
    {
        function.body.stms[at].expr = Expr::Operand(Operand::Var(param));
    }
}

/// Builds the lifted program from these parameters to these arrays.
pub fn lifted(kind: DeviceKind, params: &[Given], results: &[Ref]) -> Result<(Lowered, Chunk), Error> {
    let inputs: Vec<Ref> = params.iter().map(|given| given.param.clone()).collect();
    let Lowered { program, used } = lower_with_extents(&inputs, results)?;
    let used_types: Vec<ArrayTy> = used.iter().filter_map(|node| node.ty.array().cloned()).collect();
    let types = parameter_types(params, &used_types);
    let ranks = |types: &[&ArrayTy]| types.iter().map(|ty| ty.rank).sum::<usize>();
    let given_types: Vec<&ArrayTy> = inputs.iter().filter_map(|input| input.ty.array()).collect();
    let sizes = ranks(&given_types) + ranks(&used_types.iter().collect::<Vec<_>>());
    let varies: Vec<Varies> = types.iter().map(|(_, _, varies)| *varies).collect();
    // Devices flatten irregular operations in any case.
    let folds = if kind.is_host() { Folds::Apart } else { Folds::Segmented };
    let mut chunk = chunk(&program, FunctionId::new(0), &varies, folds, true)
        .map_err(|limit| Error::Limit(limit.message))?;
    let mut given: Vec<(ValueType, usize)> = Vec::new();
    for result in results.iter().filter_map(|result| result.ty.array()) {
        given.extend(std::iter::repeat_n((ValueType::I64, 0), result.rank));
        given.extend(result.components.iter().map(|ty| (*ty, result.rank)));
    }
    chunk.function.name = ENTRY.to_string();
    chunk.function.entry = Some(EntryPoint {
        name: ENTRY.to_string(),
        size_params: chunk.sizes.0,
        params: entry_params(&chunk, &types, sizes),
        size_results: chunk.sizes.1,
        tuple: None,
        results: entry_results(&chunk, &given).into_iter().map(EntryResult::from).collect(),
    });
    let mut program = Program::default();
    program.functions.push(chunk.function.clone());
    Ok((Lowered { program, used }, chunk))
}

impl ChunkProgram {
    /// Compiles the function from these parameters to these arrays for chunks.
    pub fn new(context: &Context, params: &[Given], results: &[Ref]) -> Result<ChunkProgram, Error> {
        let arrays = results.iter().filter_map(|result| result.ty.array().cloned()).collect();
        let variables: Vec<Ref> = params.iter().map(|given| given.param.clone()).collect();
        let gives: Vec<Gives> = params.iter().map(|given| given.gives).collect();
        let form = Form::new(("lifted", context.kind(), gives), &variables, results);
        let (part, (results, is_counted, experience)) = context.load_form(&form, || {
            let (lowered, chunk) = lifted(context.kind(), params, results)?;
            let is_counted = chunk.is_counted();
            Ok((lowered, (chunk.results, is_counted, Experience::default())))
        })?;
        Ok(ChunkProgram { part, experience, is_counted, results, arrays })
    }

    /// Returns for each result whether all elements have the same extents.
    pub fn regular(&self) -> Vec<bool> {
        let mut results = self.results.iter();
        let mut regular = |array: &ArrayTy| {
            let columns: Vec<GivenAs> =
                results.by_ref().take(array.rank + array.components.len()).copied().collect();
            columns[array.rank..].iter().all(|given| *given == GivenAs::Regular)
        };
        self.arrays.iter().map(&mut regular).collect()
    }

    /// Computes the results for a non-empty batch of elements. The batch has the arrays of all parameters, in order.
    pub fn call(&self, input: &Batch, memory: &MemoryPool) -> Result<Batch, Error> {
        let arguments = arguments(input, self.is_counted);
        let mut values = self.part.call(arguments, memory)?.into_iter();
        let mut given = self.results.iter();
        let mut arrays = Vec::new();
        for ty in &self.arrays {
            arrays.push(elements(ty, input.count, &mut values, &mut given, memory)?);
        }
        Ok(Batch { count: input.count, arrays })
    }
}

/// Returns the arguments: all sizes, then all components. The number of elements comes first if no other argument implies it.
fn arguments(input: &Batch, is_counted: bool) -> Vec<Value> {
    let mut arguments = Vec::new();
    if is_counted {
        arguments.push(Value::scalar(ValueType::I64, Scalar::I64(input.count as i64)));
    }
    for elements in &input.arrays {
        if let Extents::Each { sizes, .. } = &elements.extents {
            arguments.extend(sizes.iter().map(Numbers::value));
        }
    }
    for elements in &input.arrays {
        let starts = match &elements.extents {
            Extents::Each { starts, .. } => Some(starts.value()),
            Extents::Same(_) => None,
            Extents::Numbers { first } => {
                arguments.push(Value::scalar(ValueType::I64, Scalar::I64(*first)));
                None
            }
        };
        for (column, &ty) in elements.columns.iter().zip(&elements.types) {
            arguments.extend(starts.clone());
            arguments.push(Value::array(ty, column.clone()));
        }
    }
    arguments
}

/// Returns the parameters of the function of one element: the sizes of all arrays, then their components.
fn parameter_types(params: &[Given], used: &[ArrayTy]) -> Vec<Parameter> {
    let given = params.iter().filter_map(|given| Some((given.param.ty.array()?.clone(), given.gives)));
    let arrays: Vec<(ArrayTy, Gives)> = given.collect();
    let mut types = Vec::new();
    for (ty, gives) in &arrays {
        let varies = if *gives == Gives::Irregular { Varies::Freely } else { Varies::Never };
        types.extend(std::iter::repeat_n((ValueType::I64, 0, varies), ty.rank));
    }
    for ty in used {
        types.extend(std::iter::repeat_n((ValueType::I64, 0, Varies::Never), ty.rank));
    }
    for (ty, gives) in &arrays {
        let varies = if *gives == Gives::Numbers { Varies::ByOne } else { Varies::Freely };
        types.extend(ty.components.iter().map(|component| (*component, ty.rank, varies)));
    }
    for ty in used {
        types.extend(ty.components.iter().map(|component| (*component, ty.rank, Varies::Never)));
    }
    types
}

/// A parameter of the function of one element: its type, its rank, and how it varies from element to element.
type Parameter = (ValueType, usize, Varies);

/// Returns the parameters after the sizes. Unlifted parameters among the first `sizes` are sizes already.
fn entry_params(chunk: &Chunk, types: &[Parameter], sizes: usize) -> Vec<EntryParam> {
    let mut params = Vec::new();
    if chunk.is_counted() {
        params.push(EntryType::Scalar(ValueType::I64));
    }
    for (at, (&(ty, rank, _), taken)) in types.iter().zip(&chunk.params).enumerate() {
        match taken {
            TakenAs::Avoided if at < sizes => {}
            TakenAs::Avoided if rank == 0 => params.push(EntryType::Scalar(ty)),
            TakenAs::Avoided => params.push(EntryType::Array(ty, rank)),
            TakenAs::Regular => params.push(EntryType::Array(ty, rank + 1)),
            TakenAs::Segments => {
                params.extend([EntryType::Array(ValueType::I64, 1), EntryType::Array(ty, 1)]);
            }
        }
    }
    params.into_iter().map(|ty| EntryParam { name: String::new(), consumed: false, ty }).collect()
}

fn entry_results(chunk: &Chunk, types: &[(ValueType, usize)]) -> Vec<EntryType> {
    let mut results = Vec::new();
    for (&(ty, rank), given) in types.iter().zip(&chunk.results) {
        match given {
            GivenAs::Avoided => results.push(EntryType::Scalar(ty)),
            GivenAs::Regular => results.push(EntryType::Array(ty, rank + 1)),
            GivenAs::Segments => {
                results.extend([EntryType::Array(ValueType::I64, 1), EntryType::Array(ty, 1)])
            }
        }
    }
    results
}

/// Reads the elements of one array from a program's results.
fn elements<'g>(
    ty: &ArrayTy,
    count: usize,
    values: &mut std::vec::IntoIter<Value>,
    given: &mut impl Iterator<Item = &'g GivenAs>,
    memory: &MemoryPool,
) -> Result<Elements, Error> {
    let missing = || Error::Internal("a chunk gave too little".to_string());
    let mut sizes = Vec::new();
    for _ in 0..ty.rank {
        given.next().ok_or_else(missing)?;
        sizes.push(numbers(values.next().ok_or_else(missing)?, count, memory)?);
    }
    let mut columns = Vec::new();
    let mut starts = None;
    for _ in &ty.components {
        if given.next() == Some(&GivenAs::Segments) {
            let found = numbers(values.next().ok_or_else(missing)?, count, memory)?;
            starts.get_or_insert(found);
        }
        match values.next() {
            Some(Value::Array { array, .. }) => columns.push(array),
            Some(Value::Scalar { .. }) | None => return Err(missing()),
        }
    }
    let extents = match starts {
        Some(starts) => Extents::Each { sizes, starts },
        None => {
            let shape = columns.first().and_then(|column| column.shape().get(1..));
            Extents::Same(shape.unwrap_or_default().to_vec())
        }
    };
    Ok(Elements { extents, types: ty.components.to_vec(), columns })
}

/// Converts a value to one number per element.
fn numbers(value: Value, count: usize, memory: &MemoryPool) -> Result<Numbers, Error> {
    match value {
        Value::Scalar { value, .. } => {
            let same = value.as_int().unwrap_or(0);
            Ok(Numbers::new(count, memory, std::iter::repeat(same))?)
        }
        Value::Array { array, .. } => {
            let numbers = Numbers::from_column(array);
            numbers.ok_or_else(|| Error::Internal("a chunk gave extents that are none".to_string()))
        }
    }
}
