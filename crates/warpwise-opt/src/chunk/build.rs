//! Builds functions from sorted statements: determines the values that each needs, and their sources.

use warpwise_ir::traverse::{FreeVars, Substitution, free_in_body, free_in_lambda, free_in_type};
use warpwise_ir::{
    Body, EntryParam, EntryPoint, EntryType, Expr, Function, Operand, Param, Program, Stm, Type, Var,
};
use warpwise_prim::{ScalarType, ValueType};

use super::sort::{Known, Sorted, Stop};
use super::{Chunked, Item, Merged, Refusal, ResultOf, Shape};

/// A parameter of a function.
struct Taken {
    var: Var,
    item: Item,
    surface: ValueType,
    consumed: bool,
}

/// A result of a function, with its surface type.
type Given = (Operand, ValueType);

/// The results, divided into those of chunks and those of `after`.
struct Divided {
    outputs: Vec<Given>,
    afters: Vec<Given>,
    results: Vec<ResultOf>,
}

/// Sources of values.
struct Sources {
    sorted: Sorted,
    /// Surface types of the parameters, and below of the results.
    parameters: Vec<ValueType>,
    results: Vec<ValueType>,
    /// Variables that `before` computes for other functions.
    computed: Vec<Var>,
}

/// Builds the functions.
pub fn build(sorted: Sorted) -> Result<Chunked, Stop> {
    let entry = sorted.function.entry.clone();
    let leaves = |types: Vec<&EntryType>| -> Vec<ValueType> {
        types.into_iter().flat_map(EntryType::leaves).map(|(ty, _)| ty).collect()
    };
    let (params, results) = entry.as_ref().map_or((Vec::new(), Vec::new()), |entry| {
        (entry.params.iter().map(|param| &param.ty).collect(), entry.result_types().collect())
    });
    let sources =
        Sources { parameters: leaves(params), results: leaves(results), computed: Vec::new(), sorted };
    let size_results = entry.as_ref().map_or(0, |entry| entry.size_results);
    let all: Vec<Operand> = sources.sorted.function.body.result[size_results..].to_vec();
    sources.build(&all)
}

impl Sources {
    fn build(mut self, all: &[Operand]) -> Result<Chunked, Stop> {
        let Divided { outputs, afters, results } = self.results_of(all)?;
        let mut program = Program::default();
        let chunk = self.chunk(&outputs, &mut program);
        let merged = self.merges(&mut program);
        let carried =
            (0..self.sorted.carries.len()).map(|k| self.item_of(self.sorted.carries[k].first)).collect();
        let after = (!afters.is_empty()).then(|| self.after(&afters, &mut program));
        let before = self.before(&mut program);
        let sizes = self.sizes();
        let param_vars = &self.sorted.function.params[sizes..];
        let is_streamed =
            |&number: &usize| self.sorted.streamed.iter().any(|param| param.var == param_vars[number].var);
        let streamed = (0..param_vars.len()).filter(is_streamed).collect();
        let (rounds, rounds_inside) = (self.sorted.rounds, self.sorted.rounds_inside);
        let shape = Shape { streamed, before, chunk, carried, merged, after, results, rounds, rounds_inside };
        Ok(Chunked { program, shape })
    }

    fn sizes(&self) -> usize {
        self.sorted.function.entry.as_ref().map_or(0, |entry| entry.size_params)
    }

    /// Returns the source of each result.
    fn results_of(&self, all: &[Operand]) -> Result<Divided, Stop> {
        let (mut outputs, mut afters, mut results) = (Vec::new(), Vec::new(), Vec::new());
        for (&operand, &surface) in all.iter().zip(&self.results) {
            let known = operand.as_var().and_then(|var| self.sorted.known.get(&var)).copied();
            match known {
                Some(Known::Rows) => {
                    results.push(ResultOf::Output(outputs.len()));
                    outputs.push((operand, surface));
                }
                Some(Known::Count) => {
                    let why = "how many rows are kept is a result".to_string();
                    let refusal = Refusal { span: self.sorted.function.span, why };
                    return Err(Stop { refusal, needed_whole: None });
                }
                Some(Known::Before | Known::After) | None => {
                    results.push(ResultOf::After(afters.len()));
                    afters.push((operand, surface));
                }
            }
        }
        Ok(Divided { outputs, afters, results })
    }

    /// Returns the source of a value that is known before all elements.
    fn item(&mut self, var: Var) -> Item {
        if var == self.sorted.offset {
            return Item::Offset;
        }
        let (sizes, values) = self.sorted.function.params.split_at(self.sizes());
        if let Some(number) = values.iter().position(|param| param.var == var) {
            return Item::Parameter(number);
        }
        if sizes.iter().any(|param| param.var == var) {
            // The type of a parameter may still have the number of all rows, or the number of a chunk's rows instead.
            let size = if var == self.sorted.rows { self.sorted.count } else { var };
            let found = values.iter().enumerate().find_map(|(number, param)| {
                let shape = self.sorted.function.ty(param.var).shape();
                let is = |operand: &Operand| *operand == size.into() || *operand == var.into();
                shape.iter().position(is).map(|dimension| Item::Size(number, dimension))
            });
            if let Some(item) = found {
                return item;
            }
        }
        let place = self.computed.iter().position(|&other| other == var).unwrap_or_else(|| {
            self.computed.push(var);
            self.computed.len() - 1
        });
        Item::Before(place)
    }

    fn item_of(&mut self, operand: Operand) -> Item {
        match operand {
            Operand::Const(value) => Item::Constant(value),
            Operand::Var(var) => self.item(var),
        }
    }

    /// Returns the free variables of code, other than `others`, as parameters.
    fn taken(&mut self, free: &FreeVars, others: &[Var]) -> Vec<Taken> {
        let mut taken = Vec::new();
        for var in free.iter().filter(|var| !others.contains(var)) {
            let Some(elem) = self.sorted.function.ty(var).elem() else { continue };
            let item = self.item(var);
            let surface =
                if let Item::Parameter(number) = item { self.parameters[number] } else { surface(elem) };
            taken.push(Taken { var, item, surface, consumed: false });
        }
        taken
    }

    /// Returns a value of another function as a parameter.
    fn passed(&self, var: Var, item: Item, consumed: bool) -> Taken {
        let elem = self.sorted.function.ty(var).elem().unwrap_or(ScalarType::I64);
        Taken { var, item, surface: surface(elem), consumed }
    }

    fn chunk(&mut self, outputs: &[Given], program: &mut Program) -> Vec<Item> {
        let carries = &self.sorted.carries;
        let merged = self.sorted.merges.iter().flat_map(|merge| &merge.vars).map(|&var| Operand::Var(var));
        let passed: Vec<Operand> = carries.iter().map(|carry| carry.result).chain(merged).collect();
        let result: Vec<Operand> = passed.iter().copied().chain(outputs.iter().map(|(x, _)| *x)).collect();
        let body = Body { stms: without_certs(&self.sorted.chunk), result };
        let free = self.free(&body);
        let mut own = vec![self.sorted.count];
        let mut taken = Vec::new();
        for (place, carry) in carries.iter().enumerate() {
            own.push(carry.param);
            taken.push(self.passed(carry.param, Item::Carried(place), carry.consumed));
        }
        for (place, &Param { var, consumed }) in self.sorted.streamed.iter().enumerate() {
            own.push(var);
            let number =
                self.sorted.function.params[self.sizes()..].iter().position(|param| param.var == var);
            let surface = number.map_or(ValueType::I64, |number| self.parameters[number]);
            taken.push(Taken { var, item: Item::Rows(place), surface, consumed });
        }
        let mut all = self.taken(&free, &own);
        all.extend(taken);
        let surfaces: Vec<ValueType> = passed
            .iter()
            .map(|&x| self.sorted.function.operand_type(x).elem().map_or(ValueType::I64, surface))
            .chain(outputs.iter().map(|(_, surface)| *surface))
            .collect();
        self.add("chunk", all, body, &surfaces, program)
    }

    fn merges(&mut self, program: &mut Program) -> Vec<Merged> {
        let mut merged = Vec::new();
        for group in 0..self.sorted.merges.len() {
            let merge = &self.sorted.merges[group];
            let (op, neutral) = (merge.op.clone(), merge.neutral.clone());
            let body = Body { stms: without_certs(&op.body.stms), result: op.body.result.clone() };
            let free = free_in_lambda(&self.sorted.function, &op);
            let mut all = self.taken(&free, &[]);
            // The two groups come last, in the operator's order.
            all.extend(op.params.iter().map(|&param| self.passed(param, Item::Total(group, 0), false)));
            let surfaces: Vec<ValueType> = op.params[..neutral.len()]
                .iter()
                .map(|&param| self.sorted.function.ty(param).elem().map_or(ValueType::I64, surface))
                .collect();
            let mut takes = self.add(&format!("merge_{group}"), all, body, &surfaces, program);
            takes.truncate(takes.len() - op.params.len());
            let neutral = neutral.into_iter().map(|x| self.item_of(x)).collect();
            merged.push(Merged { neutral, takes });
        }
        merged
    }

    fn after(&mut self, results: &[Given], program: &mut Program) -> Vec<Item> {
        let stms =
            without_certs_of(&self.sorted.after, |cert| self.sorted.known.get(&cert) != Some(&Known::After));
        let body = Body { stms, result: results.iter().map(|(x, _)| *x).collect() };
        let free = self.free(&body);
        let mut totals = Vec::new();
        for (group, merge) in self.sorted.merges.iter().enumerate() {
            totals
                .extend(merge.vars.iter().enumerate().map(|(place, &var)| (var, Item::Total(group, place))));
        }
        for (place, carry) in self.sorted.carries.iter().enumerate() {
            totals.extend(carry.total.map(|var| (var, Item::Carried(place))));
        }
        totals.retain(|(var, _)| free.contains(*var));
        let own: Vec<Var> = totals.iter().map(|(var, _)| *var).collect();
        let mut all = self.taken(&free, &own);
        all.extend(totals.into_iter().map(|(var, item)| self.passed(var, item, false)));
        let surfaces: Vec<ValueType> = results.iter().map(|(_, surface)| *surface).collect();
        self.add("after", all, body, &surfaces, program)
    }

    fn before(&mut self, program: &mut Program) -> Option<Vec<Item>> {
        let checks = self.sorted.before.iter().any(|stm| matches!(stm.expr, Expr::Assert { .. }));
        if self.computed.is_empty() && !checks {
            return None;
        }
        let computed = self.computed.clone();
        let result: Vec<Operand> = computed.iter().map(|&var| var.into()).collect();
        let body = Body { stms: self.sorted.before.clone(), result };
        let free = self.free(&body);
        let consumed: Vec<Var> = self
            .sorted
            .function
            .params
            .iter()
            .filter(|param| param.consumed)
            .map(|param| param.var)
            .collect();
        let mut all = self.taken(&free, &[]);
        all.iter_mut().for_each(|taken| taken.consumed = consumed.contains(&taken.var));
        let surfaces: Vec<ValueType> = computed
            .iter()
            .map(|&var| self.sorted.function.ty(var).elem().map_or(ValueType::I64, surface))
            .collect();
        Some(self.add("before", all, body, &surfaces, program))
    }

    /// Returns the free variables of a body, including those in the types of its results.
    fn free(&self, body: &Body) -> FreeVars {
        let function = &self.sorted.function;
        let mut free = free_in_body(function, body);
        let bound = |var: Var| body.stms.iter().any(|stm| stm.pattern.contains(&var));
        for operand in &body.result {
            let types = free_in_type(function, &function.operand_type(*operand));
            types.iter().filter(|&var| !bound(var)).for_each(|var| free.insert(var));
        }
        free
    }

    /// Adds an entry point to the program. Returns its parameters without sizes.
    fn add(
        &self,
        name: &str,
        taken: Vec<Taken>,
        body: Body,
        surfaces: &[ValueType],
        program: &mut Program,
    ) -> Vec<Item> {
        let mut function = self.sorted.function.clone();
        function.name = name.to_string();
        let mut sizes = FreeVars::default();
        for value in &taken {
            free_in_type(&function, function.ty(value.var)).iter().for_each(|size| sizes.insert(size));
        }
        let values: Vec<Taken> = taken.into_iter().filter(|value| !sizes.contains(value.var)).collect();
        function.params = sizes.iter().map(|var| Param { var, consumed: false }).collect();
        function.params.extend(values.iter().map(|value| Param { var: value.var, consumed: value.consumed }));
        let params = values.iter().map(|value| EntryParam {
            name: function.vars[value.var].name().to_string(),
            consumed: value.consumed,
            ty: entry_type(function.ty(value.var), value.surface),
        });
        let (size_params, params) = (sizes.len(), params.collect());
        let result_types: Vec<Type> = body.result.iter().map(|&x| function.operand_type(x)).collect();
        let results =
            result_types.iter().zip(surfaces).map(|(ty, &surface)| entry_type(ty, surface).into()).collect();
        let size_results = declare_results(&mut function, body);
        function.entry = Some(EntryPoint {
            name: name.to_string(),
            size_params,
            params,
            size_results,
            tuple: None,
            results,
        });
        program.functions.push(function);
        values.into_iter().map(|value| value.item).collect()
    }
}

/// Sets the body of a function and declares its results. Sizes that are not parameters come first. Returns the number of these.
fn declare_results(function: &mut Function, body: Body) -> usize {
    let Body { stms, result } = body;
    let is_param = |function: &Function, var: Var| function.params.iter().any(|param| param.var == var);
    let mut sizes = FreeVars::default();
    for &operand in &result {
        let free = free_in_type(function, &function.operand_type(operand));
        free.iter().filter(|&var| !is_param(function, var)).for_each(|var| sizes.insert(var));
    }
    function.results.clear();
    let mut substitution = Substitution::new();
    for size in sizes.iter() {
        let declared = function.result("size", Type::I64, false);
        substitution.insert(size, declared);
    }
    for &operand in &result {
        let ty = substitution.apply_type(&function.operand_type(operand));
        function.result("r", ty, false);
    }
    let result = sizes.iter().map(Operand::Var).chain(result).collect();
    function.body = Body { stms, result };
    sizes.len()
}

fn entry_type(ty: &Type, surface: ValueType) -> EntryType {
    match ty.rank() {
        0 => EntryType::Scalar(surface),
        rank => EntryType::Array(surface, rank),
    }
}

/// Returns the statements without certificates, since the checks may be in other functions.
fn without_certs(stms: &[Stm]) -> Vec<Stm> {
    without_certs_of(stms, |_| true)
}

fn without_certs_of(stms: &[Stm], elsewhere: impl Fn(Var) -> bool) -> Vec<Stm> {
    let mut stms = stms.to_vec();
    stms.iter_mut().for_each(|stm| stm.certs.retain(|&cert| !elsewhere(cert)));
    stms
}

/// Returns the surface type of scalars of a type.
fn surface(elem: ScalarType) -> ValueType {
    match elem {
        ScalarType::Bool => ValueType::Bool,
        ScalarType::I8 => ValueType::I8,
        ScalarType::I16 => ValueType::I16,
        ScalarType::I32 => ValueType::I32,
        ScalarType::I64 => ValueType::I64,
        ScalarType::F16 => ValueType::F16,
        ScalarType::F32 => ValueType::F32,
        ScalarType::F64 => ValueType::F64,
    }
}
