//! Random programs over scalars: functions that call each other and themselves, in tail position and elsewhere, with records,
//! characters, functions as values, loops with a state, and occasionally a division by zero.

use std::fmt::Write;

/// The types of expressions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Type {
    Int,
    Float,
    Bool,
    Char,
    Pair,
}

const TYPES: [Type; 5] = [Type::Int, Type::Float, Type::Bool, Type::Char, Type::Pair];

impl Type {
    fn text(self) -> &'static str {
        match self {
            Type::Int => "Int",
            Type::Float => "Float",
            Type::Bool => "Bool",
            Type::Char => "Char",
            Type::Pair => "(Int, Float)",
        }
    }
}

/// The types of a function's result, and of its parameters except the first, which counts down.
struct Function {
    parameters: Vec<Type>,
    result: Type,
}

struct Generator {
    state: u64,
    functions: Vec<Function>,
    variables: Vec<(String, Type)>,
    n_names: usize,
    /// Number of calls that the current function may still contain.
    n_calls: usize,
}

/// Returns a program that prints the results of its functions.
pub fn program(seed: u64) -> String {
    let mut it = Generator {
        state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
        functions: Vec::new(),
        variables: Vec::new(),
        n_names: 0,
        n_calls: 0,
    };
    for _ in 0..8 {
        it.next(2);
    }
    for _ in 0..1 + it.next(3) {
        let parameters = (0..it.next(4)).map(|_| it.of(&TYPES)).collect();
        let result = it.of(&TYPES);
        it.functions.push(Function { parameters, result });
    }
    let mut text = "include \"string.mc\"\nlet shared = 17\nlet half = 0.5\nrecursive\n".to_string();
    for number in 0..it.functions.len() {
        text.push_str(&it.function(number));
    }
    text.push_str("end\nmexpr\n");
    for number in 0..it.functions.len() {
        let arguments: String =
            it.functions[number].parameters.clone().into_iter().fold(String::new(), |mut all, ty| {
                let _ = write!(all, " {}", it.literal(ty));
                all
            });
        let count = it.next(7);
        let shown = show(it.functions[number].result, &format!("(f{number} {count}{arguments})"));
        let _ = writeln!(text, "{shown};");
    }
    text.push_str("()\n");
    text
}

/// Returns an expression that prints a value.
fn show(ty: Type, value: &str) -> String {
    match ty {
        Type::Int => format!("print (int2string {value}); print \" \""),
        Type::Float => format!("print (float2string {value}); print \" \""),
        Type::Bool => format!("print (if {value} then \"true \" else \"false \")"),
        Type::Char => format!("print [{value}, ' ']"),
        Type::Pair => format!("(match {value} with (a, b) in print (int2string a); print (float2string b))"),
    }
}

impl Generator {
    fn next(&mut self, below: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 33) as usize % below
    }

    fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.next(all.len())]
    }

    fn name(&mut self) -> String {
        self.n_names += 1;
        format!("x{}", self.n_names)
    }

    fn function(&mut self, number: usize) -> String {
        self.variables = vec![("n".to_string(), Type::Int), ("shared".to_string(), Type::Int)];
        self.variables.push(("half".to_string(), Type::Float));
        let mut head = format!("  let f{number} = lam n : Int.");
        for (index, ty) in self.functions[number].parameters.clone().into_iter().enumerate() {
            let name = format!("p{index}");
            let _ = write!(head, " lam {name} : {}.", ty.text());
            self.variables.push((name, ty));
        }
        let result = self.functions[number].result;
        self.n_calls = 0;
        let base = self.expr(result, 3);
        self.n_calls = 2;
        let step = self.expr(result, 5);
        format!("{head}\n    if leqi n 0 then {base}\n    else {step}\n")
    }

    fn literal(&mut self, ty: Type) -> String {
        match ty {
            Type::Int => self.of(&["0", "1", "2", "7", "(negi 3)", "4611686018427387904"]).to_string(),
            Type::Float => self.of(&["0.0", "1.0", "(negf 2.5)", "1e10", "0.1"]).to_string(),
            Type::Bool => self.of(&["true", "false"]).to_string(),
            Type::Char => self.of(&["'a'", "'z'", "' '"]).to_string(),
            Type::Pair => format!("({}, {})", self.literal(Type::Int), self.literal(Type::Float)),
        }
    }

    fn simple(&mut self, ty: Type) -> String {
        let fitting: Vec<String> =
            self.variables.iter().filter(|(_, other)| *other == ty).map(|(name, _)| name.clone()).collect();
        if fitting.is_empty() || self.next(4) == 0 {
            return self.literal(ty);
        }
        let index = self.next(fitting.len());
        fitting[index].clone()
    }

    fn expr(&mut self, ty: Type, depth: usize) -> String {
        if depth == 0 {
            return self.simple(ty);
        }
        match self.next(9) {
            0 => self.simple(ty),
            1 | 2 => self.call(ty, depth),
            3 => {
                let (condition, then) = (self.expr(Type::Bool, depth - 1), self.expr(ty, depth - 1));
                format!("(if {condition} then {then} else {})", self.expr(ty, depth - 1))
            }
            4 => {
                let (other, name) = (self.of(&TYPES), self.name());
                let value = self.expr(other, depth - 1);
                self.within(&[(name.clone(), other)], |it| {
                    format!("(let {name} = {value} in {})", it.expr(ty, depth - 1))
                })
            }
            5 => {
                let (a, b) = (self.name(), self.name());
                let value = self.expr(Type::Pair, depth - 1);
                self.within(&[(a.clone(), Type::Int), (b.clone(), Type::Float)], |it| {
                    format!("(match {value} with ({a}, {b}) in {})", it.expr(ty, depth - 1))
                })
            }
            6 => {
                let (state, index) = (self.name(), self.name());
                let (initial, count) = (self.expr(ty, depth - 1), self.next(4));
                self.within(&[(state.clone(), ty), (index.clone(), Type::Int)], |it| {
                    let body = it.expr(ty, depth - 1);
                    format!("(seqLoopAcc {initial} {count} (lam {state}. lam {index}. {body}))")
                })
            }
            7 => {
                let (name, function) = (self.name(), self.name());
                let body = self.within(&[(name.clone(), Type::Int)], |it| it.expr(ty, depth - 1));
                let argument = self.expr(Type::Int, depth - 1);
                format!("(let {function} = lam {name} : Int. {body} in {function} {argument})")
            }
            _ => self.operation(ty, depth),
        }
    }

    /// Generates an expression in whose scope there are `more` variables.
    fn within(&mut self, more: &[(String, Type)], part: impl FnOnce(&mut Self) -> String) -> String {
        let (length, calls) = (self.variables.len(), self.n_calls);
        self.variables.extend_from_slice(more);
        let text = part(self);
        self.variables.truncate(length);
        self.n_calls = self.n_calls.min(calls);
        text
    }

    fn call(&mut self, ty: Type, depth: usize) -> String {
        let fitting: Vec<usize> =
            (0..self.functions.len()).filter(|number| self.functions[*number].result == ty).collect();
        if self.n_calls == 0 || fitting.is_empty() {
            return self.operation(ty, depth);
        }
        self.n_calls -= 1;
        let number = fitting[self.next(fitting.len())];
        let parameters = self.functions[number].parameters.clone();
        let mut text = format!("(f{number} (subi n 1)");
        for parameter in parameters {
            let _ = write!(text, " {}", self.expr(parameter, depth.min(2) - 1));
        }
        text + ")"
    }

    fn operation(&mut self, ty: Type, depth: usize) -> String {
        let (operation, operands): (&str, &[Type]) = match ty {
            Type::Int => {
                let two: &[Type] = &[Type::Int, Type::Int];
                let all = [
                    ("addi", two),
                    ("subi", two),
                    ("muli", two),
                    ("modi", two),
                    ("divi", two),
                    ("slli", two),
                    ("srai", two),
                    ("srli", two),
                    ("negi", &[Type::Int]),
                    ("floorfi", &[Type::Float]),
                    ("roundfi", &[Type::Float]),
                    ("char2int", &[Type::Char]),
                ];
                self.of(&all)
            }
            Type::Float => {
                let two: &[Type] = &[Type::Float, Type::Float];
                let all = [
                    ("addf", two),
                    ("subf", two),
                    ("mulf", two),
                    ("divf", two),
                    ("negf", &[Type::Float]),
                    ("int2float", &[Type::Int]),
                ];
                self.of(&all)
            }
            Type::Bool => {
                let (ints, floats): (&[Type], &[Type]) =
                    (&[Type::Int, Type::Int], &[Type::Float, Type::Float]);
                let all = [
                    ("lti", ints),
                    ("geqi", ints),
                    ("eqi", ints),
                    ("neqi", ints),
                    ("ltf", floats),
                    ("geqf", floats),
                    ("eqf", floats),
                    ("neqf", floats),
                    ("eqc", &[Type::Char, Type::Char]),
                ];
                self.of(&all)
            }
            Type::Char => ("int2char", &[Type::Int]),
            Type::Pair => {
                let first = self.expr(Type::Int, depth - 1);
                return format!("({first}, {})", self.expr(Type::Float, depth - 1));
            }
        };
        if ty == Type::Char && self.next(4) > 0 {
            return self.simple(ty);
        }
        let mut text = format!("({operation}");
        for operand in operands {
            let _ = write!(text, " {}", self.expr(*operand, depth - 1));
        }
        text + ")"
    }
}
