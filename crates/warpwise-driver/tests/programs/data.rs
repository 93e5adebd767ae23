//! Random programs over data: constructors with and without parameters of their type, records and their updates, sequences, strings and
//! functions over them, and occasionally a failing index or pattern.

use std::fmt::Write;

/// The types of expressions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Type {
    Int,
    Bool,
    Tree,
    Seq,
    Pair,
    Box,
    Text,
}

const TYPES: [Type; 7] = [Type::Int, Type::Bool, Type::Tree, Type::Seq, Type::Pair, Type::Box, Type::Text];

impl Type {
    fn text(self) -> &'static str {
        match self {
            Type::Int => "Int",
            Type::Bool => "Bool",
            Type::Tree => "Tree",
            Type::Seq => "[Int]",
            Type::Pair => "{size : Int, tree : Tree}",
            Type::Box => "Box Tree",
            Type::Text => "String",
        }
    }
}

const START: &str = "include \"string.mc\"
type Tree
con Empty : () -> Tree
con Leaf : Int -> Tree
con Node : (Tree, Tree) -> Tree
con Many : {items : [Int], below : Tree} -> Tree
type Box a
con Full : all a. a -> Box a
con Void : all a. () -> Box a
let shared = Node (Leaf 1, Node (Empty (), Leaf 2))
let numbers = [3, 1, 4]
let open : all a. a -> Box a -> a = lam other. lam b. match b with Full x then x else other
recursive let sum = lam s : [Int]. match s with [x] ++ rest then addi x (sum rest) else 0 end
recursive let hash = lam d : Int. lam t : Tree.
  if eqi d 0 then 1 else switch t
    case Empty _ then 2
    case Leaf x then modi x 1009
    case Node (a, b) then modi (addi (muli 31 (hash (subi d 1) a)) (hash (subi d 1) b)) 1009
    case Many {items = items, below = below} then modi (addi (sum items) (muli 17 (hash (subi d 1) below))) 1009
  end
end
";

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
    let mut text = START.to_string();
    text.push_str("recursive\n");
    for number in 0..it.functions.len() {
        text.push_str(&it.function(number));
    }
    text.push_str("end\nmexpr\n");
    it.variables.clear();
    it.n_calls = 0;
    for number in 0..it.functions.len() {
        let parameters = it.functions[number].parameters.clone();
        let arguments: String = parameters.into_iter().fold(String::new(), |mut all, ty| {
            let _ = write!(all, " {}", it.expr(ty, 1));
            all
        });
        let count = it.next(6);
        let shown = show(it.functions[number].result, &format!("(f{number} {count}{arguments})"));
        let _ = writeln!(text, "{shown}; print \" \";");
    }
    text.push_str("()\n");
    text
}

/// Returns an expression that prints a value.
fn show(ty: Type, value: &str) -> String {
    match ty {
        Type::Int => format!("print (int2string {value})"),
        Type::Bool => format!("print (if {value} then \"true\" else \"false\")"),
        Type::Tree => format!("print (int2string (hash 12 {value}))"),
        Type::Seq => format!("iter (lam i. print (int2string i); print \",\") {value}"),
        Type::Pair => {
            format!("(match {value} with {{size = n, tree = t}} in print (int2string (addi n (hash 12 t))))")
        }
        Type::Box => format!("print (int2string (hash 12 (open (Empty ()) {value})))"),
        Type::Text => format!("print {value}"),
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
        self.variables = vec![("n".to_string(), Type::Int), ("shared".to_string(), Type::Tree)];
        self.variables.push(("numbers".to_string(), Type::Seq));
        let mut head = format!("  let f{number} = lam n : Int.");
        for (index, ty) in self.functions[number].parameters.clone().into_iter().enumerate() {
            let name = format!("p{index}");
            let _ = write!(head, " lam {name} : {}.", ty.text());
            self.variables.push((name, ty));
        }
        let result = self.functions[number].result;
        self.n_calls = 0;
        let base = self.expr(result, 2);
        self.n_calls = 2;
        let step = self.expr(result, 4);
        format!("{head}\n    if leqi n 0 then {base}\n    else {step}\n")
    }

    /// Generates an expression in whose scope there are `more` variables.
    fn within(&mut self, more: &[(&str, Type)], part: impl FnOnce(&mut Self) -> String) -> String {
        let (length, calls) = (self.variables.len(), self.n_calls);
        self.variables.extend(more.iter().map(|(name, ty)| (name.to_string(), *ty)));
        let text = part(self);
        self.variables.truncate(length);
        self.n_calls = self.n_calls.min(calls);
        text
    }

    /// Generates the body of a function. It contains no calls, because the function may be called often.
    fn body(&mut self, more: &[(&str, Type)], ty: Type, depth: usize) -> String {
        let calls = std::mem::take(&mut self.n_calls);
        let text = self.within(more, |it| it.expr(ty, depth));
        self.n_calls = calls;
        text
    }

    fn expr(&mut self, ty: Type, depth: usize) -> String {
        let fitting: Vec<String> =
            self.variables.iter().filter(|(_, other)| *other == ty).map(|(name, _)| name.clone()).collect();
        if !fitting.is_empty() && (depth == 0 || self.next(4) == 0) {
            return fitting[self.next(fitting.len())].clone();
        }
        if depth == 0 {
            return literal(ty).to_string();
        }
        match self.next(10) {
            0 => {
                let (condition, then) = (self.expr(Type::Bool, depth - 1), self.expr(ty, depth - 1));
                format!("(if {condition} then {then} else {})", self.expr(ty, depth - 1))
            }
            1 => {
                let (other, name) = (self.of(&TYPES), self.name());
                let value = self.expr(other, depth - 1);
                self.within(&[(&name, other)], |it| {
                    format!("(let {name} = {value} in {})", it.expr(ty, depth - 1))
                })
            }
            2 | 3 => self.call(ty, depth),
            4..6 => self.taken_apart(ty, depth),
            6 => {
                let (name, function) = (self.name(), self.name());
                let body = self.body(&[(&name, Type::Int)], ty, depth - 1);
                let argument = self.expr(Type::Int, depth - 1);
                format!("(let {function} = lam {name} : Int. {body} in {function} {argument})")
            }
            _ => self.operation(ty, depth - 1),
        }
    }

    fn call(&mut self, ty: Type, depth: usize) -> String {
        let fitting: Vec<usize> =
            (0..self.functions.len()).filter(|number| self.functions[*number].result == ty).collect();
        if self.n_calls == 0 || fitting.is_empty() {
            return self.operation(ty, depth - 1);
        }
        self.n_calls -= 1;
        let number = fitting[self.next(fitting.len())];
        let mut text = format!("(f{number} (subi n 1)");
        for parameter in self.functions[number].parameters.clone() {
            let _ = write!(text, " {}", self.expr(parameter, depth.min(2) - 1));
        }
        text + ")"
    }

    /// Generates an expression that takes a value apart.
    fn taken_apart(&mut self, ty: Type, depth: usize) -> String {
        let (a, b) = (self.name(), self.name());
        let otherwise = self.expr(ty, depth - 1);
        match self.next(7) {
            0 => {
                let tree = self.expr(Type::Tree, depth - 1);
                let both = [(&*a, Type::Tree), (&*b, Type::Tree)];
                let then = self.within(&both, |it| it.expr(ty, depth - 1));
                format!("(match {tree} with Node ({a}, {b}) then {then} else {otherwise})")
            }
            1 => {
                let tree = self.expr(Type::Tree, depth - 1);
                let leaf = self.within(&[(&a, Type::Int)], |it| it.expr(ty, depth - 1));
                let many = self.within(&[(&b, Type::Seq)], |it| it.expr(ty, depth - 1));
                format!(
                    "(switch {tree} case Leaf {a} then {leaf} case Many {{items = {b}}} then {many} \
                     case Node (Leaf _, _) | Empty _ then {otherwise} case _ then {} end)",
                    self.expr(ty, depth - 1)
                )
            }
            2 => {
                let seq = self.expr(Type::Seq, depth - 1);
                let both = [(&*a, Type::Int), (&*b, Type::Seq)];
                let then = self.within(&both, |it| it.expr(ty, depth - 1));
                let pattern = self.of(&["[A] ++ B", "B ++ [A]", "[_, A] ++ B ++ [_]"]);
                let pattern = pattern.replace('A', &a).replace('B', &b);
                format!("(match {seq} with {pattern} then {then} else {otherwise})")
            }
            3 => {
                let pair = self.expr(Type::Pair, depth - 1);
                let both = [(&*a, Type::Int), (&*b, Type::Tree)];
                let then = self.within(&both, |it| it.expr(ty, depth - 1));
                format!("(match {pair} with {{size = {a}, tree = {b}}} in {then})")
            }
            4 => {
                let tree = self.expr(Type::Box, depth - 1);
                let then = self.within(&[(&a, Type::Tree)], |it| it.expr(ty, depth - 1));
                format!("(match {tree} with Full {a} then {then} else {otherwise})")
            }
            5 => {
                let seq = self.expr(Type::Seq, depth - 1);
                let body = self.body(&[(&a, ty), (&b, Type::Int)], ty, depth - 1);
                let types = (ty.text(), "Int");
                match self.next(2) {
                    0 => format!(
                        "(foldl (lam {a} : {}. lam {b} : {}. {body}) {otherwise} {seq})",
                        types.0, types.1
                    ),
                    _ => format!(
                        "(foldr (lam {b} : {}. lam {a} : {}. {body}) {otherwise} {seq})",
                        types.1, types.0
                    ),
                }
            }
            _ => {
                let body = self.body(&[(&a, ty), (&b, Type::Int)], ty, depth - 1);
                format!("(seqLoopAcc {otherwise} {} (lam {a}. lam {b}. {body}))", self.next(4))
            }
        }
    }

    fn operation(&mut self, ty: Type, depth: usize) -> String {
        let name = self.name();
        let (text, operands): (&str, &[Type]) = match ty {
            Type::Int => self.of(&[
                ("(addi § ¶)", &[Type::Int, Type::Int]),
                ("(muli § ¶)", &[Type::Int, Type::Int]),
                ("(subi § ¶)", &[Type::Int, Type::Int]),
                ("(hash 6 §)", &[Type::Tree]),
                ("(sum §)", &[Type::Seq]),
                ("(length §)", &[Type::Seq]),
                ("(length §)", &[Type::Text]),
                ("(get § ¶)", &[Type::Seq, Type::Int]),
                ("(§).size", &[Type::Pair]),
            ]),
            Type::Bool => self.of(&[
                ("(lti § ¶)", &[Type::Int, Type::Int]),
                ("(eqi § ¶)", &[Type::Int, Type::Int]),
                ("(null §)", &[Type::Seq]),
                ("(match § with Empty _ | Leaf _ then true else ¶)", &[Type::Tree, Type::Bool]),
                ("(match § with \"12\" then ¶ else false)", &[Type::Text, Type::Bool]),
                ("(eqString § ¶)", &[Type::Text, Type::Text]),
            ]),
            Type::Tree => self.of(&[
                ("(Leaf §)", &[Type::Int]),
                ("(Node (§, ¶))", &[Type::Tree, Type::Tree]),
                ("(Many {items = §, below = ¶})", &[Type::Seq, Type::Tree]),
                ("(§).tree", &[Type::Pair]),
                ("(open § ¶)", &[Type::Tree, Type::Box]),
                ("(head [§, ¶])", &[Type::Tree, Type::Tree]),
            ]),
            Type::Seq => self.of(&[
                ("[§, ¶]", &[Type::Int, Type::Int]),
                ("(cons § ¶)", &[Type::Int, Type::Seq]),
                ("(snoc § ¶)", &[Type::Seq, Type::Int]),
                ("(concat § ¶)", &[Type::Seq, Type::Seq]),
                ("(reverse §)", &[Type::Seq]),
                ("(tail §)", &[Type::Seq]),
                ("(subsequence § ¶ 2)", &[Type::Seq, Type::Int]),
                ("(map (addi §) ¶)", &[Type::Int, Type::Seq]),
                ("(map (lam c. char2int c) §)", &[Type::Text]),
                ("(mapi (lam X : Int. lam y : Int. addi X (muli y §)) ¶)", &[Type::Int, Type::Seq]),
                ("(create 3 (lam X. addi X §))", &[Type::Int]),
                ("(map (lam t. hash 3 t) [§, ¶])", &[Type::Tree, Type::Tree]),
            ]),
            Type::Pair => self.of(&[
                ("{size = §, tree = ¶}", &[Type::Int, Type::Tree]),
                ("{(§) with size = ¶}", &[Type::Pair, Type::Int]),
                ("{(§) with tree = ¶}", &[Type::Pair, Type::Tree]),
                ("(head (snoc [§] ¶))", &[Type::Pair, Type::Pair]),
            ]),
            Type::Box => self.of(&[
                ("(Full §)", &[Type::Tree]),
                ("(if § then Void () else ¶)", &[Type::Bool, Type::Box]),
                ("(open ¶ (Full §))", &[Type::Box, Type::Box]),
            ]),
            Type::Text => self.of(&[
                ("(int2string §)", &[Type::Int]),
                ("(concat § ¶)", &[Type::Text, Type::Text]),
                ("(snoc § 'x')", &[Type::Text]),
                ("(if § then \"yes\" else ¶)", &[Type::Bool, Type::Text]),
            ]),
        };
        let mut text = text.replace('X', &name);
        for (letter, operand) in ["§", "¶"].into_iter().zip(operands) {
            text = text.replacen(letter, &self.expr(*operand, depth), 1);
        }
        text
    }
}

fn literal(ty: Type) -> &'static str {
    match ty {
        Type::Int => "2",
        Type::Bool => "true",
        Type::Tree => "(Leaf 5)",
        Type::Seq => "[1, 2]",
        Type::Pair => "{size = 0, tree = Empty ()}",
        Type::Box => "(Full (Leaf 3))",
        Type::Text => "\"12\"",
    }
}
