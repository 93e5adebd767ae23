//! Generates the text of a random irregular nest.

use std::fmt::Write;

/// Returns a program whose `main` maps over numbers.
pub fn nest(seed: u64) -> String {
    let mut maker = Maker {
        state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1,
        names: 0,
        text: String::new(),
        recursive: false,
    };
    maker.recursive = maker.below(3) == 0;
    if maker.recursive {
        maker.helper();
    }
    let mut scope = Scope { scalars: vec!["x".to_string(), "n".to_string()], arrays: vec![] };
    maker.line("fun main(n: i64, xs: [n]i64) -> (r: [n]i64, s: [n]i64) {");
    maker.line("  r: [n]i64, s: [n]i64 = screma n (xs) map (x: i64) {");
    let statements = 3 + maker.below(7);
    maker.statements(&mut scope, statements, 2);
    let first = maker.summary(&mut scope);
    let second = maker.scalar(&scope);
    maker.line(&format!("  return {first}, {second} }};"));
    maker.line("  return r, s\n}");
    maker.text
}

/// The values in scope.
#[derive(Clone)]
struct Scope {
    scalars: Vec<String>,
    /// Arrays of numbers, each with its size.
    arrays: Vec<(String, String)>,
}

struct Maker {
    state: u64,
    names: usize,
    text: String,
    /// Whether there is a recursive function.
    recursive: bool,
}

impl Maker {
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        (self.state >> 20) as usize % bound
    }

    fn line(&mut self, line: &str) {
        writeln!(self.text, "{line}").expect("text grows");
    }

    fn name(&mut self, hint: &str) -> String {
        self.names += 1;
        format!("{hint}{}", self.names)
    }

    /// Binds a number and returns its name.
    fn number(&mut self, hint: &str, expr: &str) -> String {
        let name = self.name(hint);
        self.line(&format!("    {name}: i64 = {expr};"));
        name
    }

    fn scalar(&mut self, scope: &Scope) -> String {
        match self.below(6) {
            0 => format!("{}", self.below(5) as i64 - 1),
            _ => {
                // Recently bound names are the most frequent.
                let back = self.below(scope.scalars.len()).min(self.below(scope.scalars.len()));
                scope.scalars[scope.scalars.len() - 1 - back].clone()
            }
        }
    }

    fn array(&mut self, scope: &mut Scope) -> (String, String) {
        if scope.arrays.is_empty() || self.below(8) == 0 {
            self.make_array(scope);
        }
        let back = self.below(scope.arrays.len()).min(self.below(scope.arrays.len()));
        scope.arrays[scope.arrays.len() - 1 - back].clone()
    }

    /// Binds a size between 0 and 3.
    fn size(&mut self, scope: &Scope) -> String {
        let x = self.scalar(scope);
        self.number("k", &format!("smod {x} 4"))
    }

    fn make_array(&mut self, scope: &mut Scope) {
        let size = match self.below(4) {
            0 => "3".to_string(),
            _ => self.size(scope),
        };
        let (x, y) = (self.scalar(scope), self.scalar(scope));
        let expr = match self.below(3) {
            0 => format!("replicate [{size}] {x}"),
            _ => format!("iota {size} {x} {y}"),
        };
        self.bind_array(scope, &size, &expr);
    }

    fn bind_array(&mut self, scope: &mut Scope, size: &str, expr: &str) {
        let name = self.name("a");
        self.line(&format!("    {name}: [{size}]i64 = {expr};"));
        scope.arrays.push((name, size.to_string()));
    }

    /// Returns an operator and its neutral element.
    fn fold(&mut self) -> String {
        let (x, y, z) = (self.name("p"), self.name("q"), self.name("o"));
        let (op, neutral) = [("add", "0"), ("smax", "-9223372036854775808"), ("xor", "0")][self.below(3)];
        format!("({x}: i64, {y}: i64) {{ {z}: i64 = {op} {x} {y}; return {z} }} [{neutral}]")
    }

    /// Binds a number that depends on the most recent values.
    fn summary(&mut self, scope: &mut Scope) -> String {
        let mut sum = scope.scalars[scope.scalars.len() - 1].clone();
        let arrays: Vec<_> = scope.arrays.iter().rev().take(2).cloned().collect();
        for (array, size) in arrays {
            let part = self.reduce(&array, &size);
            let twice = self.number("t", &format!("mul {sum} 3"));
            sum = self.number("t", &format!("add {twice} {part}"));
        }
        sum
    }

    fn reduce(&mut self, array: &str, size: &str) -> String {
        let (x, y, z) = (self.name("p"), self.name("q"), self.name("o"));
        self.number("s", &format!(
            "screma {size} ({array}) map ({x}: i64) {{ return {x} }} reduce ({y}: i64, {z}: i64) {{ w{z}: i64 = add {y} {z}; return w{z} }} [0]"
        ))
    }

    /// Returns `(x: i64) { ...; return y }` for an element of an array.
    fn lambda(&mut self, scope: &Scope, depth: usize) -> String {
        let x = self.name("x");
        let mut inner = scope.clone();
        inner.scalars.push(x.clone());
        let (body, result) = self.apart(|maker| {
            let statements = maker.below(if depth == 0 { 2 } else { 5 });
            maker.statements(&mut inner, statements, depth.saturating_sub(1));
            match maker.below(2) {
                0 => maker.summary(&mut inner),
                _ => maker.scalar(&inner),
            }
        });
        format!("({x}: i64) {{\n{body}    return {result} }}")
    }

    /// Returns the text that `make` generates, separately.
    fn apart<T>(&mut self, make: impl FnOnce(&mut Maker) -> T) -> (String, T) {
        let outer = std::mem::take(&mut self.text);
        let made = make(self);
        (std::mem::replace(&mut self.text, outer), made)
    }

    fn statements(&mut self, scope: &mut Scope, count: usize, depth: usize) {
        for _ in 0..count {
            self.statement(scope, depth);
        }
    }

    fn statement(&mut self, scope: &mut Scope, depth: usize) {
        match self.below(24) {
            0 => {
                let (x, y) = (self.scalar(scope), self.scalar(scope));
                let op = ["add", "sub", "mul", "smax"][self.below(4)];
                let z = self.number("y", &format!("{op} {x} {y}"));
                scope.scalars.push(z);
            }
            1 => {
                let size = self.size(scope);
                scope.scalars.push(size);
            }
            2 => self.make_array(scope),
            3 | 4 => self.map(scope, depth),
            5 => self.map_fold(scope, depth),
            6 => self.element(scope),
            7 => self.part(scope),
            8 => {
                let (array, size) = self.array(scope);
                self.bind_array(scope, &size, &format!("copy {array}"));
            }
            9 => self.rows(scope, depth),
            10 => self.flat_map(scope, depth),
            11 => {
                let (array, size) = self.array(scope);
                let kind = ["scan", "exscan"][self.below(2)];
                let (lambda, fold) = (self.lambda(scope, 0), self.fold());
                self.bind_array(scope, &size, &format!("screma {size} ({array}) map {lambda} {kind} {fold}"));
            }
            12 => self.choice(scope, depth),
            13 => self.counted(scope, depth),
            14 => self.tested(scope, depth),
            15 => self.filtered(scope, depth),
            16 => self.joined(scope),
            17 => self.updated(scope),
            18 => self.scattered(scope),
            19 => self.filled(scope),
            20 if self.recursive => {
                let depth = self.size(scope);
                self.call(scope, &depth);
            }
            _ => {
                let (array, size) = self.array(scope);
                let sum = self.reduce(&array, &size);
                scope.scalars.push(sum);
            }
        }
    }

    fn map(&mut self, scope: &mut Scope, depth: usize) {
        let (array, size) = self.array(scope);
        let lambda = self.lambda(scope, depth);
        self.bind_array(scope, &size, &format!("screma {size} ({array}) map {lambda}"));
    }

    fn map_fold(&mut self, scope: &mut Scope, depth: usize) {
        let (array, size) = self.array(scope);
        let (lambda, fold) = (self.lambda(scope, depth), self.fold());
        let sum = self.number("s", &format!("screma {size} ({array}) map {lambda} reduce {fold}"));
        scope.scalars.push(sum);
    }

    /// Binds an element of an array, or 0 if the array is empty.
    fn element(&mut self, scope: &mut Scope) {
        let (array, size) = self.array(scope);
        let at = self.scalar(scope);
        let (some, i, x) = (self.name("some"), self.name("at"), self.name("x"));
        self.line(&format!("    {some}: bool = slt 0 {size};"));
        let found = self.number("e", &format!(
            "if {some} {{ {i}: i64 = smod {at} {size}; {x}: i64 = index {array}[{i}]; return {x} }} else {{ return 0 }}"
        ));
        scope.scalars.push(found);
    }

    /// Binds a part of an array, or the reversed array.
    fn part(&mut self, scope: &mut Scope) {
        let (array, size) = self.array(scope);
        if self.below(2) == 0 {
            let last = self.number("l", &format!("sub {size} 1"));
            self.bind_array(scope, &size, &format!("slice {array}[{last}:{size}:-1]"));
        } else {
            let more = self.number("m", &format!("add {size} 1"));
            let half = self.number("h", &format!("squot {more} 2"));
            self.bind_array(scope, &half, &format!("slice {array}[0:{half}:1]"));
        }
    }

    /// Binds an array of rows, possibly transposed, and one of its columns or the flattened array.
    fn rows(&mut self, scope: &mut Scope, depth: usize) {
        let (array, size) = self.array(scope);
        let (row, length) = self.array(scope);
        let (x, rows) = (self.name("x"), self.name("r"));
        let mut inner = scope.clone();
        inner.scalars.push(x.clone());
        let (body, lambda) = self.apart(|maker| maker.lambda(&inner, depth.saturating_sub(1)));
        let y = self.name("y");
        self.line(&format!(
            "    {rows}: [{size}][{length}]i64 = screma {size} ({array}) map ({x}: i64) {{\n{body}    {y}: [{length}]i64 = screma {length} ({row}) map {lambda};\n    return {y} }};"
        ));
        let turned = self.name("r");
        self.line(&format!("    {turned}: [{length}][{size}]i64 = rearrange (1, 0) {rows};"));
        let (all, shape) = match self.below(2) {
            0 => (rows, (size, length)),
            _ => (turned, (length, size)),
        };
        if self.below(2) == 0 {
            let total = self.number("t", &format!("mul {} {}", shape.0, shape.1));
            self.bind_array(scope, &total, &format!("reshape [{total}] {all}"));
        } else {
            let (y, z) = (self.name("row"), self.name("v"));
            let fold = self.fold();
            self.bind_array(scope, &shape.0, &format!(
                "screma {} ({all}) map ({y}: [{}]i64) {{ w{y}: i64 = screma {} ({y}) map ({z}: i64) {{ return {z} }} reduce {fold}; return w{y} }}",
                shape.0, shape.1, shape.1
            ));
        }
    }

    fn flat_map(&mut self, scope: &mut Scope, depth: usize) {
        let (array, size) = self.array(scope);
        let x = self.name("x");
        let mut inner = scope.clone();
        inner.scalars.push(x.clone());
        let (body, (list, length, other)) = self.apart(|maker| {
            let statements = maker.below(3);
            maker.statements(&mut inner, statements, depth.saturating_sub(1));
            let (list, length) = maker.array(&mut inner);
            (list, length, maker.scalar(&inner))
        });
        let (total, offsets, flat, more) =
            (self.name("total"), self.name("offsets"), self.name("flat"), self.name("more"));
        self.line(&format!(
            "    {total}: i64, {offsets}: [{size}]i64, {flat}: [{total}]i64, {more}: [{size}]i64 = flatmap {size} ({array}) rows (i64) ({x}: i64) {{\n{body}    return {length}, {list}, {other} }};"
        ));
        scope.scalars.push(total.clone());
        scope.arrays.extend([(offsets, size.clone()), (more, size), (flat, total)]);
    }

    /// Returns a body that yields a number and an array with its size.
    fn body(&mut self, scope: &Scope, depth: usize, last: &str) -> String {
        let mut inner = scope.clone();
        let (body, (x, array, size)) = self.apart(|maker| {
            let statements = maker.below(3);
            maker.statements(&mut inner, statements, depth.saturating_sub(1));
            let (array, size) = maker.array(&mut inner);
            (maker.summary(&mut inner), array, size)
        });
        format!("{{\n{body}{last}    return {x}, {size}, {array}")
    }

    fn choice(&mut self, scope: &mut Scope, depth: usize) {
        let (x, y) = (self.scalar(scope), self.scalar(scope));
        let (c, z, k, a) = (self.name("c"), self.name("z"), self.name("k"), self.name("a"));
        self.line(&format!("    {c}: bool = slt {x} {y};"));
        let (one, other) = (self.body(scope, depth, ""), self.body(scope, depth, ""));
        self.line(&format!("    {z}: i64, {k}: i64, {a}: [{k}]i64 = if {c} {one} }} else {other} }};"));
        scope.scalars.extend([z, k.clone()]);
        scope.arrays.push((a, k));
    }

    /// Generates a loop of a few iterations with an array whose size changes.
    fn counted(&mut self, scope: &mut Scope, depth: usize) {
        let (array, size) = self.array(scope);
        let bound = match self.below(3) {
            0 => "2".to_string(),
            _ => self.size(scope),
        };
        let init = self.scalar(scope);
        let (x, k, a, i) = (self.name("x"), self.name("k"), self.name("a"), self.name("j"));
        let (z, l, b) = (self.name("z"), self.name("k"), self.name("a"));
        let mut inner = scope.clone();
        inner.scalars.extend([x.clone(), k.clone(), i.clone()]);
        inner.arrays.push((a.clone(), k.clone()));
        let body = self.body(&inner, depth, "");
        self.line(&format!(
            "    {z}: i64, {l}: i64, {b}: [{l}]i64 = loop ({x}: i64 = {init}, {k}: i64 = {size}, {a}: [{k}]i64 = {array}) for {i}: i64 < {bound} {body} }};"
        ));
        scope.scalars.extend([z, l.clone()]);
        scope.arrays.push((b, l));
    }

    /// Generates a loop that runs while a counter is small.
    fn tested(&mut self, scope: &mut Scope, depth: usize) {
        let (array, size) = self.array(scope);
        let start = self.size(scope);
        let (x, k, a, i) = (self.name("x"), self.name("k"), self.name("a"), self.name("j"));
        let (z, l, b, c, d) =
            (self.name("z"), self.name("k"), self.name("a"), self.name("c"), self.name("d"));
        self.line(&format!("    {c}: bool = slt {start} 3;"));
        let mut inner = scope.clone();
        inner.scalars.extend([x.clone(), k.clone(), i.clone()]);
        inner.arrays.push((a.clone(), k.clone()));
        let last = format!("    n{i}: i64 = add {i} 1;\n    c{i}: bool = slt n{i} 3;\n");
        let body = self.body(&inner, depth, &last);
        self.line(&format!(
            "    {z}: i64, {l}: i64, {b}: [{l}]i64, n{l}: i64, n{d}: bool = loop ({x}: i64 = 0, {k}: i64 = {size}, {a}: [{k}]i64 = {array}, {i}: i64 = {start}, {d}: bool = {c}) while {d} {body}, n{i}, c{i} }};"
        ));
        scope.scalars.extend([z, l.clone()]);
        scope.arrays.push((b, l));
    }

    fn filtered(&mut self, scope: &mut Scope, depth: usize) {
        let (array, size) = self.array(scope);
        let x = self.name("x");
        let mut inner = scope.clone();
        inner.scalars.push(x.clone());
        let (body, y) = self.apart(|maker| {
            let statements = maker.below(2);
            maker.statements(&mut inner, statements, depth.saturating_sub(1));
            maker.scalar(&inner)
        });
        let (c, d, k, l, a, b) =
            (self.name("c"), self.name("d"), self.name("k"), self.name("k"), self.name("a"), self.name("a"));
        let other = self.scalar(scope);
        self.line(&format!(
            "    {k}: i64, {l}: i64, {a}: [{k}]i64, {b}: [{l}]i64 = partition {size} ({array}) classes 2 ({x}: i64) {{\n{body}    {c}: bool = slt {x} {other};\n    {d}: bool = slt {y} 2;\n    return {c}, {d}, {x} }};"
        ));
        scope.scalars.extend([k.clone(), l.clone()]);
        scope.arrays.extend([(a, k), (b, l)]);
    }

    fn joined(&mut self, scope: &mut Scope) {
        let ((a, k), (b, l)) = (self.array(scope), self.array(scope));
        if self.below(2) == 0 {
            let total = self.number("t", &format!("add {k} {l}"));
            self.bind_array(scope, &total, &format!("concat {total} ({a}, {b})"));
        } else {
            let both = self.name("r");
            self.line(&format!("    c{both}: [{k}]i64 = copy {a};"));
            self.line(&format!("    {both}: [2][{k}]i64 = [{a}, c{both}];"));
            let total = self.number("t", &format!("mul 2 {k}"));
            self.bind_array(scope, &total, &format!("reshape [{total}] {both}"));
        }
    }

    /// Overwrites an element of an array, or a part of an array by another array, possibly in a loop.
    fn updated(&mut self, scope: &mut Scope) {
        let (array, size) = self.array(scope);
        let (value, at) = (self.scalar(scope), self.scalar(scope));
        let (copy, some, new) = (self.name("a"), self.name("some"), self.name("a"));
        let (i, u) = (self.name("at"), self.name("u"));
        match self.below(3) {
            0 => {
                self.line(&format!("    {copy}: [{size}]i64 = copy {array};"));
                self.line(&format!("    {some}: bool = slt 0 {size};"));
                self.line(&format!(
                    "    {new}: [{size}]i64 = if {some} {{ {i}: i64 = smod {at} {size}; {u}: [{size}]i64 = update {copy}[{i}] = {value}; return {u} }} else {{ return {copy} }};"
                ));
            }
            1 => {
                self.line(&format!("    {copy}: [{size}]i64 = copy {array};"));
                let half = self.number("h", &format!("squot {size} 2"));
                let row = self.name("a");
                self.line(&format!("    {row}: [{half}]i64 = replicate [{half}] {value};"));
                let last = self.number("l", &format!("sub {size} 1"));
                self.line(&format!("    {new}: [{size}]i64 = update {copy}[{last}:{half}:-1] = {row};"));
            }
            _ => {
                self.line(&format!("    {copy}: [{size}]i64 = copy {array};"));
                let (b, c) = (self.name("a"), self.name("a"));
                self.line(&format!(
                    "    {new}: [{size}]i64 = loop ({b}: *[{size}]i64 = {copy}) for {i}: i64 < {size} {{ {u}: i64 = index {b}[{i}]; v{u}: i64 = add {u} {value}; {c}: [{size}]i64 = update {b}[{i}] = v{u}; return {c} }};"
                ));
            }
        }
        scope.arrays.push((new, size));
    }

    fn scattered(&mut self, scope: &mut Scope) {
        let ((array, size), (places, width)) = (self.array(scope), self.array(scope));
        let (copy, i, v) = (self.name("a"), self.name("at"), self.scalar(scope));
        self.line(&format!("    {copy}: [{size}]i64 = copy {array};"));
        let lambda = format!("({i}: i64) {{ v{i}: i64 = mul {i} {v}; return {i}, v{i} }}");
        self.bind_array(scope, &size, &format!("scatter {width} ({places}) into ({copy} rank 1) {lambda}"));
    }

    fn filled(&mut self, scope: &mut Scope) {
        let ((array, size), (places, width)) = (self.array(scope), self.array(scope));
        let (copy, i, fold) = (self.name("a"), self.name("at"), self.fold());
        self.line(&format!("    {copy}: [{size}]i64 = copy {array};"));
        let value = self.scalar(scope);
        self.bind_array(scope, &size, &format!(
            "hist {width} ({places}) map ({i}: i64) {{ return {i}, {value} }} into ({copy}) rank 1 with {fold}"
        ));
    }

    /// Generates a function that calls itself to a limited depth.
    fn helper(&mut self) {
        self.recursive = false;
        self.line("fun helper(d: i64, k: i64, a: [k]i64) -> (r: i64, m: i64, b: [m]i64) {");
        let mut scope = Scope {
            scalars: vec!["d".to_string(), "k".to_string()],
            arrays: vec![("a".to_string(), "k".to_string())],
        };
        let statements = self.below(3);
        self.statements(&mut scope, statements, 1);
        let end = self.body(&scope, 0, "");
        self.line("    deep: bool = slt 0 d;");
        let mut inner = scope.clone();
        let (body, (array, size, r)) = self.apart(|maker| {
            maker.line("    less: i64 = sub d 1;");
            maker.call(&mut inner, "less");
            let (array, size) = maker.array(&mut inner);
            (array, size, maker.summary(&mut inner))
        });
        self.line(&format!(
            "    r: i64, m: i64, b: [m]i64 = if deep {{\n{body}    return {r}, {size}, {array} }} else {end} }};\n  return r, m, b\n}}"
        ));
        self.recursive = true;
    }

    fn call(&mut self, scope: &mut Scope, depth: &str) {
        let (array, size) = self.array(scope);
        let (r, m, b) = (self.name("r"), self.name("m"), self.name("a"));
        self.line(&format!("    {r}: i64, {m}: i64, {b}: [{m}]i64 = call helper({depth}, {size}, {array});"));
        scope.scalars.extend([r, m.clone()]);
        scope.arrays.push((b, m));
    }
}
