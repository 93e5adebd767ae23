//! Imperative accelerated expressions in core IR, compared with the host: `tests/imperative/*.mc`.
//!
//! A file holds definitions, a line `-- expressions`, and an expression in each line after it. A line `-- tensors: ...` before
//! that line declares the values that can be captured, separated by semicolons: `a = Float [2, 3]` is a tensor with fixed
//! elements, `v = a 1 2` a view of two of `a`'s indices from 1 on, `s = [a, b]` a sequence of tensors, `k = 5` an integer. The
//! host computes each expression in order, and the interpreter of the core IR runs the lowered expression. Both must give the
//! same value, print the same and leave the same in all tensors, or both must fail. A line that ends in `-- limit: TEXT` is
//! refused with TEXT instead. A line that ends in `-- in order` has a loop that runs in order, and no other line has one. A line
//! that ends in `-- adds` becomes a histogram, and no other line does.

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use warpwise_diag::Failure;
use warpwise_interp::{ArrayValue, Value, interpret};
use warpwise_ir::verify::{Level, verify};
use warpwise_ir::{EntryType, Function, Operand, Type};
use warpwise_mexpr::accelerate::lower::Checks;
use warpwise_mexpr::accelerate::lower::imperative::{
    Imperative, Printed, Signature, Tensor, lower_imperative, printed,
};
use warpwise_mexpr::accelerate::split;
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::show::float_text;
use warpwise_prim::{Scalar, ScalarType};

use common::{check, on_host};

/// A value that can be captured.
#[derive(Clone, Debug)]
enum Given {
    Int(i64),
    /// A tensor: the name of the tensor whose elements it shares, its first element, its extents.
    Tensor(String, usize, Vec<usize>),
    Seq(Vec<String>),
}

/// All values that can be captured, and the elements of tensors.
#[derive(Clone, Default, Debug)]
struct Captured {
    given: Vec<(String, Given)>,
    elements: BTreeMap<String, (ScalarType, Vec<Scalar>)>,
}

impl Captured {
    fn read(text: &str) -> Captured {
        let mut captured = Captured::default();
        for item in text.split(';').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, value) = item.split_once(" = ").expect("NAME = VALUE");
            let given = captured.value(name, value);
            captured.given.push((name.to_string(), given));
        }
        captured
    }

    fn value(&mut self, name: &str, value: &str) -> Given {
        if let Ok(value) = value.parse() {
            return Given::Int(value);
        }
        if let Some(names) = value.strip_prefix('[') {
            return Given::Seq(list(names.trim_end_matches(']')).map(str::to_string).collect());
        }
        let (first, rest) = value.split_once(' ').expect("a type and a shape, or a name and a part");
        let element = match first {
            "Int" => ScalarType::I64,
            "Float" => ScalarType::F64,
            base => {
                let (start, len) = rest.split_once(' ').expect("a start and a length");
                let (start, len): (usize, usize) = (start.parse().unwrap(), len.parse().unwrap());
                let Given::Tensor(base, offset, shape) = self.get(base) else {
                    panic!("{base} is no tensor")
                };
                let row: usize = shape[1..].iter().product();
                let shape = std::iter::once(len).chain(shape[1..].iter().copied()).collect();
                return Given::Tensor(base, offset + start * row, shape);
            }
        };
        let shape: Vec<usize> =
            list(rest.trim_matches(['[', ']'])).map(|extent| extent.parse().unwrap()).collect();
        let elements = (0..shape.iter().product()).map(|position| element_at(&shape, position));
        let elements = elements.map(|value| match element {
            ScalarType::I64 => Scalar::I64(value),
            _ => Scalar::F64(value as f64 / 2.0),
        });
        self.elements.insert(name.to_string(), (element, elements.collect()));
        Given::Tensor(name.to_string(), 0, shape)
    }

    fn get(&self, name: &str) -> Given {
        let found = self.given.iter().find(|(other, _)| other == name);
        found.map(|(_, given)| given.clone()).unwrap_or_else(|| panic!("{name} is not given"))
    }

    /// Returns the definitions of the captured values, for the host.
    fn definitions(&self) -> String {
        let mut text = String::new();
        for (name, given) in &self.given {
            let _ = match given {
                Given::Int(value) => writeln!(text, "let {name} = addi {value} 0"),
                Given::Seq(names) => writeln!(text, "let {name} = [{}]", names.join(", ")),
                Given::Tensor(base, 0, shape) if base == name => {
                    let fold = "foldl (lam acc. lam k. modi (addi (muli acc 5) (addi k 1)) 11) 3 i";
                    let (kind, value) = match self.elements[name].0 {
                        ScalarType::I64 => ("Int", format!("({fold})")),
                        _ => ("Float", format!("divf (int2float ({fold})) 2.0")),
                    };
                    writeln!(text, "let {name} = tensorCreateCArray{kind} {shape:?} (lam i. {value})")
                }
                Given::Tensor(base, offset, shape) => {
                    let row: usize = shape[1..].iter().product();
                    writeln!(text, "let {name} = tensorSubExn {base} {} {}", offset / row.max(1), shape[0])
                }
            };
        }
        text
    }

    /// Returns code that prints all elements of all tensors on the host.
    fn dump(&self) -> String {
        let dumps = self.given.iter().filter_map(|(name, given)| match given {
            Given::Tensor(base, _, shape) if base == name => {
                let n: usize = shape.iter().product();
                Some(format!(
                    "; print \" {name}\"; iter (lam k. print \" \"; dprint (tensorLinearGetExn {name} k)) (create {n} (lam k. k))"
                ))
            }
            _ => None,
        });
        dumps.collect()
    }
}

/// Returns the number that the host's definitions compute, too.
fn element_at(shape: &[usize], position: usize) -> i64 {
    let mut index = Vec::new();
    let mut rest = position;
    for extent in shape.iter().rev() {
        index.push(rest % extent);
        rest /= extent;
    }
    index.iter().rev().fold(3, |acc, component| (acc * 5 + *component as i64 + 1) % 11)
}

fn list(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|item| !item.is_empty())
}

/// Lowers a program; tensors that overlap share buffers.
fn lowered(checked: Checked, captured: &Captured) -> Result<Imperative, Failure> {
    let split = split(checked)?;
    let lower = |together: &dyn Fn(usize) -> Vec<Vec<usize>>| {
        let (rows, checks) = (BTreeSet::new(), Checks::default());
        lower_imperative(&split.host, &split.entries, &split.imperative, together, &rows, checks)
    };
    let apart = lower(&|_| Vec::new())?;
    let mut functions = apart.program.functions.values();
    let function = functions.find(|function| function.entry.is_some()).expect("an entry point");
    let names = captured_names(function, &apart.signatures[0].1);
    let mut bases: BTreeMap<String, Vec<usize>> = BTreeMap::new();
    for (position, name) in
        names.iter().filter(|name| !matches!(captured.get(name), Given::Int(_))).enumerate()
    {
        let tensors = match captured.get(name) {
            Given::Seq(names) => names,
            _ => vec![name.clone()],
        };
        for tensor in tensors {
            if let Given::Tensor(base, ..) = captured.get(&tensor) {
                let group = bases.entry(base).or_default();
                if !group.contains(&position) {
                    group.push(position);
                }
            }
        }
    }
    let groups: Vec<Vec<usize>> = bases.into_values().filter(|group| group.len() > 1).collect();
    if groups.is_empty() { Ok(apart) } else { lower(&move |_| groups.clone()) }
}

fn captured_names(function: &Function, signature: &Signature) -> Vec<String> {
    let entry = function.entry.as_ref().expect("an entry point");
    let names = entry.params[signature.buffers.len()..].iter().map(|param| param.name.clone());
    // An expression without captured values takes `()`.
    names.filter(|name| name != "_").collect()
}

/// Returns the results of the core IR, as the host prints them; `None` if the run fails.
fn on_device(lowered: &Imperative, captured: &Captured) -> Option<String> {
    let (program, signature) = (&lowered.program, &lowered.signatures[0].1);
    if let Err(errors) = verify(program, Level::Soac) {
        let functions: Vec<String> = program.functions.values().map(|f| f.to_string()).collect();
        panic!("{errors:?}\n{}", functions.join("\n"));
    }
    let mut functions = program.functions.iter();
    let (id, function) = functions.find(|(_, function)| function.entry.is_some()).expect("an entry point");
    let entry = function.entry.as_ref().expect("an entry point");
    let mut pools = Pools::of(signature, captured, &captured_names(function, signature));
    let mut arguments = pools.arrays(signature)?;
    arguments.append(&mut pools.leaves);
    let arguments = with_sizes(function, entry.size_params, arguments);
    let values = interpret(program, id, arguments).ok()?;
    let mut values = values[entry.size_results..].iter();
    let result = value_text(&entry.results[0].ty, &mut values);
    for (number, _) in signature.buffers.iter().enumerate().filter(|(_, buffer)| buffer.is_written) {
        pools.buffers[number] = values.next()?.as_array()?.data.to_vec();
    }
    let mut text = String::new();
    if signature.has_log {
        let log: Vec<f64> = values.next()?.as_array()?.data.iter().map(|word| float(*word)).collect();
        for printed in printed(&log) {
            match printed {
                Printed::Text(words) => text.push_str(&words),
                Printed::Float(value) => text.push_str(&float_text(value)),
                Printed::Int(value) => text.push_str(&value.to_string()),
            }
        }
    }
    text.push_str(&result);
    for (name, given) in &captured.given {
        if let Given::Tensor(base, _, shape) = given
            && base == name
        {
            text.push_str(&format!(" {name}"));
            for position in 0..shape.iter().product() {
                text.push_str(&format!(" {}", scalar_text(pools.element(captured, name, position))));
            }
        }
    }
    Some(text)
}

/// The buffers of one call, and the places of tensors in them.
struct Pools {
    buffers: Vec<Vec<Scalar>>,
    shapes: Vec<Vec<usize>>,
    places: BTreeMap<String, (usize, usize)>,
    leaves: Vec<Value>,
}

impl Pools {
    fn of(signature: &Signature, captured: &Captured, names: &[String]) -> Pools {
        let n = signature.buffers.len();
        let mut pools = Pools {
            buffers: vec![Vec::new(); n],
            shapes: vec![Vec::new(); n],
            places: BTreeMap::new(),
            leaves: Vec::new(),
        };
        let mut tensors = signature.tensors.iter();
        for name in names {
            match captured.get(name) {
                Given::Int(value) => pools.leaves.push(Value::Scalar(Scalar::I64(value))),
                Given::Tensor(base, offset, shape) => {
                    let (tensor, elements) = (*tensors.next().unwrap(), &captured.elements[&base].1);
                    if let Tensor::Whole(buffer) = tensor {
                        let size: usize = shape.iter().product();
                        pools.buffers[buffer] = elements[offset..offset + size].to_vec();
                        pools.shapes[buffer] = shape;
                        pools.places.insert(base, (buffer, offset));
                    } else if let Tensor::Part(buffer) = tensor {
                        let leaves = pools.part(buffer, &base, elements, offset, &shape);
                        pools.leaves.extend(leaves.map(|leaf| Value::Scalar(Scalar::I64(leaf))));
                    }
                }
                Given::Seq(items) => {
                    let Some(Tensor::Part(buffer)) = tensors.next() else {
                        panic!("a sequence of whole tensors")
                    };
                    let mut columns = vec![Vec::new(); 5];
                    for item in &items {
                        let Given::Tensor(base, offset, shape) = captured.get(item) else { panic!("{item}") };
                        let leaves = pools.part(*buffer, &base, &captured.elements[&base].1, offset, &shape);
                        columns
                            .iter_mut()
                            .zip(leaves)
                            .for_each(|(column, leaf)| column.push(Scalar::I64(leaf)));
                    }
                    let arrays = columns
                        .into_iter()
                        .map(|data| ArrayValue::new(ScalarType::I64, vec![items.len()], data));
                    pools.leaves.extend(arrays.map(Value::Array));
                }
            }
        }
        pools
    }

    /// Returns the leaves of a view in a shared buffer.
    fn part(
        &mut self,
        buffer: usize,
        base: &str,
        elements: &[Scalar],
        offset: usize,
        shape: &[usize],
    ) -> impl Iterator<Item = i64> + use<> {
        let start = match self.places.get(base) {
            Some((_, start)) => *start,
            None => {
                let start = self.buffers[buffer].len();
                self.buffers[buffer].extend(elements);
                self.places.insert(base.to_string(), (buffer, start));
                start
            }
        };
        let extents = (0..3).map(|dim| shape.get(dim).map_or(1, |extent| *extent as i64));
        let leaves: Vec<i64> =
            [(start + offset) as i64, shape.len() as i64].into_iter().chain(extents).collect();
        leaves.into_iter()
    }

    /// Returns the arrays of the buffers; `None` if a tensor does not have the rank that its uses show.
    fn arrays(&self, signature: &Signature) -> Option<Vec<Value>> {
        let arrays =
            signature.buffers.iter().zip(&self.buffers).zip(&self.shapes).map(|((it, data), shape)| {
                let shape = if shape.is_empty() { vec![data.len()] } else { shape.clone() };
                let array = ArrayValue::new(it.element, shape, data.clone());
                (array.shape.len() == it.rank).then_some(Value::Array(array))
            });
        arrays.collect()
    }

    fn element(&self, captured: &Captured, base: &str, position: usize) -> Scalar {
        match self.places.get(base) {
            Some((buffer, start)) if self.shapes[*buffer].is_empty() => {
                self.buffers[*buffer][start + position]
            }
            // The buffer holds a view that starts at this element.
            Some((buffer, start)) if position >= *start && position - start < self.buffers[*buffer].len() => {
                self.buffers[*buffer][position - start]
            }
            _ => captured.elements[base].1[position],
        }
    }
}

/// Returns the arguments with their sizes before them.
fn with_sizes(function: &Function, n_sizes: usize, arguments: Vec<Value>) -> Vec<Value> {
    let (sizes, others) = function.params.split_at(n_sizes);
    let size_of = |var: warpwise_ir::Var| {
        others.iter().zip(&arguments).find_map(|(param, argument)| {
            let Type::Array(array) = function.ty(param.var) else { return None };
            let dim = array.shape.iter().position(|size| *size == Operand::Var(var))?;
            Some(argument.as_array()?.shape[dim] as i64)
        })
    };
    let sizes = sizes.iter().map(|param| Value::Scalar(Scalar::I64(size_of(param.var).expect("a size"))));
    sizes.chain(arguments.iter().cloned()).collect()
}

fn value_text<'v>(ty: &EntryType, leaves: &mut impl Iterator<Item = &'v Value>) -> String {
    match ty {
        EntryType::Scalar(_) => scalar_text(leaves.next().unwrap().as_scalar().unwrap()),
        EntryType::Array(..) => {
            let array = leaves.next().unwrap().as_array().unwrap();
            let items: Vec<String> = array.data.iter().map(|item| scalar_text(*item)).collect();
            format!("[{}]", items.join(", "))
        }
        EntryType::Opaque { fields, .. } if fields.is_empty() => "()".to_string(),
        EntryType::Opaque { fields, .. } => {
            let parts: Vec<String> = fields.iter().map(|(_, ty)| value_text(ty, leaves)).collect();
            format!("({})", parts.join(", "))
        }
    }
}

fn float(value: Scalar) -> f64 {
    match value {
        Scalar::F64(value) => value,
        other => panic!("{other:?} is no float"),
    }
}

fn scalar_text(value: Scalar) -> String {
    match value {
        Scalar::F64(value) => float_text(value),
        Scalar::Bool(value) => value.to_string(),
        other => other.as_int().map_or_else(String::new, |value| value.to_string()),
    }
}

#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/imperative");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let complaints: Vec<String> = paths.iter().flat_map(|path| check_file(path)).collect();
    assert!(!paths.is_empty() && complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn check_file(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let (definitions, expressions) = text.split_once("-- expressions\n").expect("a line `-- expressions`");
    let given = definitions.lines().filter_map(|line| line.strip_prefix("-- tensors: "));
    let captured = Captured::read(&given.collect::<Vec<_>>().join("; "));
    let lines = expressions.lines().filter(|line| !line.is_empty() && !line.starts_with("--"));
    lines
        .filter_map(|line| {
            let complaint = check_line(definitions, &captured, line).err()?;
            Some(format!("{}: {line}: {complaint}", path.file_name().unwrap().to_string_lossy()))
        })
        .collect()
}

fn check_line(definitions: &str, captured: &Captured, line: &str) -> Result<(), String> {
    let (line, adds) = match line.split_once("-- adds") {
        Some((line, _)) => (line, true),
        None => (line, false),
    };
    let (line, in_order) = match line.split_once("-- in order") {
        Some((line, _)) => (line, true),
        None => (line, false),
    };
    let (expression, limit) = match line.split_once("-- limit: ") {
        Some((expression, limit)) => (expression, Some(limit)),
        None => (line, None),
    };
    let given = captured.definitions();
    let text = format!("{given}\n{definitions}\nmexpr dprint (accelerate ({expression})){}", captured.dump());
    let program = check(text).map_err(|failure| format!("{failure:?}"))?;
    let lowered = match (lowered(program.clone(), captured), limit) {
        (Err(failure), Some(limit)) if format!("{failure:?}").contains(limit) => return Ok(()),
        (Ok(_), Some(limit)) => return Err(format!("not refused: {limit}")),
        (Err(failure), _) => return Err(format!("{failure:?}")),
        (Ok(lowered), None) => lowered,
    };
    if in_order == lowered.notes.is_empty() {
        return Err(format!("loops in order: {:?}", lowered.notes));
    }
    let is_histogram = |f: &Function| f.to_string().contains("= hist ");
    if adds != lowered.program.functions.values().any(is_histogram) {
        return Err("a histogram, or none".to_string());
    }
    let (host, device) = (on_host(&program), on_device(&lowered, captured));
    if host == device {
        return Ok(());
    }
    let functions: Vec<String> = lowered.program.functions.values().map(|f| f.to_string()).collect();
    Err(format!("host {host:?}, device {device:?}\n{}", functions.join("\n")))
}
