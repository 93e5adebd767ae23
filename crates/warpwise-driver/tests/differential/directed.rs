//! Directed programs: `programs/*.ir`, each called with arrays of many sizes.
//!
//! ```text
//! // n: 0 1 17 1000        the values of a scalar parameter; without this line those of `SIZES`
//! // is: -3..20            the range of an integer array's elements; without this line -100..100
//! // floats: 16            how many units in the last place floats may be off; `4n` means 4 for each of the largest array's elements
//! ```
//!
//! All combinations of the scalars are tried. Floats are between 0.5 and 2 (so sums are well-conditioned). Like integers and bools,
//! they depend only on the position.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use libtest_mimic::{Failed, Trial};
use warpwise_diag::{Sources, render_failure};
use warpwise_interp::{ArrayValue, Value};
use warpwise_ir::{Function, Operand, Type};
use warpwise_opt::pipelines;
use warpwise_prim::{Scalar, ScalarType};

use crate::oracle::{Machines, Question, Trouble, Verdict};
use crate::values::Bound;

/// Sizes around every number of lanes, and of several blocks.
const SIZES: &[i64] = &[0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 129, 1000, 10_007];

/// Returns a trial for every file.
pub fn trials(machines: &Arc<Machines>) -> Vec<Trial> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/differential/programs");
    let entries = fs::read_dir(folder).expect("the folder of programs is readable");
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let trial = |file: PathBuf| {
        let machines = Arc::clone(machines);
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || check(&machines, &file).map_err(Failed::from))
    };
    files.into_iter().map(trial).collect()
}

fn check(machines: &Machines, file: &Path) -> Result<(), String> {
    let source = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut sources = Sources::new();
    let id = sources.add(file.file_name().unwrap_or_default().to_string_lossy(), source.as_str());
    let program = warpwise_ir::parse::parse(&source, id)
        .map_err(|failure| render_failure(&sources, &failure, false))?;
    warpwise_opt::pass::check("the author", &program, warpwise_ir::verify::Level::Soac)
        .map_err(|bug| bug.to_string())?;
    let header = Header { lines: source.lines().map_while(|line| line.strip_prefix("// ")).collect() };
    let main = &program.functions[program.entry("main").ok_or("there is no entry point `main`")?];
    let calls = header.calls(main)?;
    let bound = header.bound(&calls)?;
    let question = Question {
        program: &program,
        passes: pipelines::CPU,
        sources: &sources,
        calls: &calls,
        bound,
        besides: &[],
    };
    match machines.ask(&question) {
        Ok(Verdict::Agreed) => Ok(()),
        Ok(Verdict::Limit(message)) => Err(format!("a known limit: {message}")),
        Err(Trouble { stage, what }) => Err(format!("{stage}: {what}\n")),
    }
}

/// The comments at the start of a file.
struct Header<'t> {
    lines: Vec<&'t str>,
}

impl Header<'_> {
    fn line(&self, name: &str) -> Option<&str> {
        self.lines.iter().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }

    fn bound(&self, calls: &[Vec<Value>]) -> Result<Bound, String> {
        let Some(text) = self.line("floats") else { return Ok(Bound::Equal) };
        let factor = match text.strip_suffix('n') {
            Some(_) => calls.iter().flatten().map(|value| value.elements().len()).max().unwrap_or(1),
            None => 1,
        };
        let ulps: f64 = text.trim_end_matches('n').parse().map_err(|_| format!("`{text}` is no bound"))?;
        Ok(Bound::Ulps(ulps * factor as f64))
    }

    /// Returns the arguments of all calls.
    fn calls(&self, main: &Function) -> Result<Vec<Vec<Value>>, String> {
        let mut calls: Vec<Vec<Value>> = vec![Vec::new()];
        for param in &main.params {
            let name = main.vars[param.var].name();
            let mut longer = Vec::new();
            for call in calls {
                for value in self.choices(main, name, main.ty(param.var), &call)? {
                    longer.push([call.clone(), vec![value]].concat());
                }
            }
            calls = longer;
        }
        Ok(calls)
    }

    /// Returns the values of a parameter to try, given the preceding arguments.
    fn choices(
        &self,
        main: &Function,
        name: &str,
        ty: &Type,
        before: &[Value],
    ) -> Result<Vec<Value>, String> {
        let elem = ty.elem().ok_or("parameters are values")?;
        if ty.rank() == 0 {
            let given: Result<Vec<i64>, _> = match self.line(name) {
                Some(line) => line.split_whitespace().map(str::parse).collect(),
                None => Ok(SIZES.to_vec()),
            };
            let given = given.map_err(|error| format!("{name}: {error}"))?;
            return Ok(given.into_iter().map(|value| Value::Scalar(scalar(elem, value))).collect());
        }
        let (low, end) = match self.line(name) {
            Some(line) => line
                .split_once("..")
                .and_then(|(low, end)| Some((low.parse().ok()?, end.parse().ok()?)))
                .ok_or_else(|| format!("{name}: `{line}` is no range"))?,
            None => (-100, 100),
        };
        let mut shape = Vec::new();
        for size in ty.shape() {
            let position = main.params.iter().position(|param| Operand::Var(param.var) == *size);
            let value = match size {
                Operand::Const(value) => value.as_int(),
                Operand::Var(_) => position.and_then(|at| before.get(at)?.as_scalar()?.as_int()),
            };
            shape.push(value.ok_or("sizes are earlier parameters")? as usize);
        }
        let count: usize = shape.iter().product();
        let element = |at: usize| {
            let mixed = (at as u64 + 17 * before.len() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
            match elem {
                ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
                    Scalar::float(elem, 0.5 + (mixed % 97) as f64 / 64.0)
                }
                _ => scalar(elem, low + (mixed % (end - low) as u64) as i64),
            }
        };
        Ok(vec![Value::Array(ArrayValue::new(elem, shape, (0..count).map(element).collect()))])
    }
}

fn scalar(elem: ScalarType, value: i64) -> Scalar {
    match elem {
        ScalarType::Bool => Scalar::Bool(value & 1 == 1),
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => Scalar::float(elem, value as f64),
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => Scalar::int(elem, value),
    }
}
