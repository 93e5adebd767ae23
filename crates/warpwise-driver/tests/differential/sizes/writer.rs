//! Writes a program and computes its exact results.
//!
//! The rows of the arrays are empty, so that an array may have as many rows as the greatest size. Every line binds one name, and the
//! result uses all names. If the exact value of a line is no size, the program ends with this line, and must fail there.

use warpwise_ir::generate::Random;

/// A program, its arguments and its exact results.
pub struct Case {
    /// Text of the program, with the entry point `main`.
    pub text: String,
    /// Arguments of `main`.
    pub args: Vec<i64>,
    /// Results, or the number of the line that fails.
    pub exact: Result<Vec<i64>, usize>,
}

/// Number of lines of a program, unless one fails before.
const LINES: usize = 8;

/// One in this many failing lines is kept; the others are thrown away.
const FAILING: usize = 12;

/// Number of elements or iterations that take no noticeable time.
const FEW: i128 = 200;

/// Numbers that arithmetic of some width confuses with others, and the greatest number whose square is a size.
const EDGES: [i64; 7] = [0, 1 << 31, 1 << 32, 3_037_000_499, 1 << 62, i64::MAX, i64::MIN];

/// The greatest size.
const GREATEST: i128 = i64::MAX as i128;

/// Returns the program for a seed.
pub fn write(seed: u64) -> Case {
    let mut random = Random::new(seed);
    let args: Vec<i64> = (0..3).map(|_| edge(&mut random)).collect();
    let one = Name { text: "[replicate 0 0u8]".to_string(), kind: Kind::Rows, value: 1 };
    let mut names = vec![one];
    for (&value, text) in args.iter().zip(["a", "b", "c"]) {
        names.push(Name { text: text.to_string(), kind: Kind::Number, value: value.into() });
    }
    Writer { random, names }.case(args)
}

/// The kind of value that a name stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A number.
    Number,
    /// An array of empty rows.
    Rows,
}

/// A name or an expression, and its value; the value of an array is its number of rows.
#[derive(Clone)]
struct Name {
    text: String,
    kind: Kind,
    value: i128,
}

/// The right-hand side of a line, and its value unless it fails.
struct Line {
    text: String,
    kind: Kind,
    value: Option<i128>,
}

impl Line {
    /// Creates a line whose value is an array with this number of rows. The line fails if that number is no size.
    fn rows(text: String, value: Option<i128>) -> Line {
        Line { text, kind: Kind::Rows, value: value.filter(|count| (0..=GREATEST).contains(count)) }
    }

    fn number(text: String, value: Option<i128>) -> Line {
        Line { text, kind: Kind::Number, value }
    }
}

struct Writer {
    random: Random,
    names: Vec<Name>,
}

impl Writer {
    fn case(mut self, args: Vec<i64>) -> Case {
        let (mut body, mut results, mut exact) = (Vec::new(), vec!["a".to_string()], vec![args[0]]);
        let mut fails = false;
        while body.len() < LINES && !fails {
            let Some(line) = self.line() else { continue };
            if line.value.is_none() && !self.random.chance(1, FAILING) {
                continue;
            }
            let text = format!("x{}", body.len());
            body.push(format!("  let {text} = {}\n", line.text));
            results.push(match line.kind {
                Kind::Number => text.clone(),
                Kind::Rows => format!("length {text}"),
            });
            match line.value {
                Some(value) => {
                    exact.push(value as i64);
                    self.names.push(Name { text, kind: line.kind, value });
                }
                None => fails = true,
            }
        }
        let types = vec!["i64"; results.len()].join(", ");
        let text = format!(
            "def main (a: i64) (b: i64) (c: i64) : ({types}) =\n{}  in ({})\n",
            body.concat(),
            results.join(", ")
        );
        // The first line is the head of `main`.
        Case { text, args, exact: if fails { Err(body.len() + 1) } else { Ok(exact) } }
    }

    /// Writes a line; `None` if it would take too long.
    fn line(&mut self) -> Option<Line> {
        match self.random.below(11) {
            0 => self.replicate(),
            1 => self.concatenation(),
            2 => self.flatten(),
            3 => self.unflatten(),
            4 => self.slice(),
            5 => self.take_or_drop(),
            6 => self.range(),
            7 => self.slice_of_numbers(),
            8 => self.loop_with_a_check(),
            9 => self.map(),
            _ => self.length(),
        }
    }

    fn replicate(&mut self) -> Option<Line> {
        let n = self.number();
        Some(Line::rows(format!("replicate {} (replicate 0 0u8)", n.text), Some(n.value)))
    }

    fn concatenation(&mut self) -> Option<Line> {
        let (x, y) = (self.rows(), self.rows());
        Some(Line::rows(format!("{} ++ {}", x.text, y.text), Some(x.value + y.value)))
    }

    fn flatten(&mut self) -> Option<Line> {
        let (n, x) = (self.number(), self.rows());
        let rows = (n.value >= 0).then(|| n.value * x.value);
        Some(Line::rows(format!("flatten (replicate {} {})", n.text, x.text), rows))
    }

    /// Writes an unflattening, often by factors of the size, otherwise by any numbers.
    fn unflatten(&mut self) -> Option<Line> {
        let x = self.rows();
        let (n, m) = match [7, 4, 3, 2, 1].into_iter().find(|factor| x.value % factor == 0) {
            Some(factor) if self.random.chance(3, 4) => (literal(factor), literal(x.value / factor)),
            _ => (self.number(), self.number()),
        };
        let fits = n.value >= 0 && m.value >= 0 && n.value * m.value == x.value;
        let text = format!(
            "let rows = {} let n = {} let m = {} in flatten (transpose (unflatten (rows :> [n * m][0]u8)))",
            x.text, n.text, m.text
        );
        Some(Line::rows(text, fits.then_some(x.value)))
    }

    fn slice(&mut self) -> Option<Line> {
        let x = self.rows();
        let slice = self.bounds(x.value);
        Some(Line::rows(format!("{}{}", x.text, slice.text), slice.count(x.value)))
    }

    fn take_or_drop(&mut self) -> Option<Line> {
        let (n, x) = (self.number(), self.rows());
        let fits = (0..=x.value).contains(&n.value);
        let (name, rows) = self.random.pick(&[("take", n.value), ("drop", x.value - n.value)]);
        Some(Line::rows(format!("{name} {} {}", n.text, x.text), fits.then_some(rows)))
    }

    /// Writes the sum of a range's numbers, modulo 2^64 as all sums.
    fn range(&mut self) -> Option<Line> {
        let (start, second, end) = (self.number(), self.number(), self.number());
        let step = second.value - start.value;
        let (symbol, is_closed, is_upwards) =
            self.random.pick(&[("...", true, step > 0), ("..<", false, true), ("..>", false, false)]);
        let distance = if is_upwards { end.value - start.value } else { start.value - end.value };
        let text = format!("i64.sum ({}..{}{symbol}{})", start.text, second.text, end.text);
        let right_way = step != 0 && (step > 0) == is_upwards && distance >= 0;
        let count = match is_closed {
            true => distance / step.abs().max(1) + 1,
            false => (distance + step.abs().max(1) - 1) / step.abs().max(1),
        };
        if !right_way || count > GREATEST {
            return Some(Line::number(text, None));
        }
        (count <= FEW).then(|| Line::number(text, Some(sum((0..count).map(|i| start.value + i * step)))))
    }

    fn slice_of_numbers(&mut self) -> Option<Line> {
        let n = self.random.below(FEW as usize) as i128;
        let slice = self.bounds(n);
        let text = format!("i64.sum ((iota {n}){})", slice.text);
        let value = slice.count(n).map(|count| sum((0..count).map(|i| slice.start + i * slice.stride)));
        Some(Line::number(text, value))
    }

    /// Writes a loop that fails in the fourth iteration.
    fn loop_with_a_check(&mut self) -> Option<Line> {
        let n = self.number();
        let text = format!("loop s = 0 for i < {} do assert (i < 3) (s + i)", n.text);
        Some(Line::number(text, (n.value <= 3).then(|| (0..n.value.max(0)).sum())))
    }

    /// Writes a map whose iterations use different sizes.
    fn map(&mut self) -> Option<Line> {
        let x = self.rows();
        let sizes: Vec<Name> = (0..1 + self.random.below(4)).map(|_| self.number()).collect();
        let (f, count): (String, fn(i128, i128) -> i128) = match self.random.below(2) {
            0 => (format!("length ({} ++ replicate n (replicate 0 0u8))", x.text), |x, n| x + n),
            _ => (format!("length (flatten (replicate n {}))", x.text), |x, n| x * n),
        };
        let elements: Vec<&str> = sizes.iter().map(|size| size.text.as_str()).collect();
        let text = format!("i64.sum (map (\\n -> {f}) [{}])", elements.join(", "));
        let lengths = sizes.iter().map(|size| {
            let length = count(x.value, size.value);
            (size.value >= 0 && length <= GREATEST).then_some(length)
        });
        Some(Line::number(text, lengths.collect::<Option<Vec<i128>>>().map(|all| sum(all.into_iter()))))
    }

    fn length(&mut self) -> Option<Line> {
        let x = self.rows();
        Some(Line::number(format!("length {}", x.text), Some(x.value)))
    }

    /// Returns a number in scope, a new number, or the sum or difference of two, modulo 2^64.
    fn number(&mut self) -> Name {
        match self.random.below(5) {
            0 => literal(edge(&mut self.random).into()),
            1 => literal(self.random.below(6) as i128),
            2 => {
                let (x, y) = (self.known(Kind::Number), self.known(Kind::Number));
                let (symbol, value) = self.random.pick(&[("+", x.value + y.value), ("-", x.value - y.value)]);
                let text = format!("({} {symbol} {})", x.text, y.text);
                Name { text, kind: Kind::Number, value: wrapped(value) }
            }
            _ => self.known(Kind::Number),
        }
    }

    fn rows(&mut self) -> Name {
        self.known(Kind::Rows)
    }

    fn known(&mut self, kind: Kind) -> Name {
        let of_kind: Vec<Name> = self.names.iter().filter(|name| name.kind == kind).cloned().collect();
        self.random.pick(&of_kind)
    }

    /// Returns the bounds of a slice of an array with `rows` rows, often within the array.
    fn bounds(&mut self, rows: i128) -> Slice {
        let stride = self.number();
        let (start, end) = match self.random.chance(3, 4) {
            true => {
                let (low, high) = (self.within(rows), self.within(rows));
                let (low, high) = (low.min(high), low.max(high));
                if stride.value < 0 {
                    (literal(high - 1), literal(low - 1))
                } else {
                    (literal(low), literal(high))
                }
            }
            false => (self.number(), self.number()),
        };
        let text = format!("[{}:{}:{}]", start.text, end.text, stride.text);
        Slice { text, start: start.value, end: end.value, stride: stride.value }
    }

    /// Returns an index into an array, or its end.
    fn within(&mut self, rows: i128) -> i128 {
        self.random.bits() as i128 % (rows + 1)
    }
}

/// A slice `[start:end:stride]`.
struct Slice {
    text: String,
    start: i128,
    end: i128,
    stride: i128,
}

impl Slice {
    /// Returns the number of selected elements of `of` elements, if the slice is in bounds: it is empty, or it goes from the start
    /// towards the end and its first and last element exist.
    fn count(&self, of: i128) -> Option<i128> {
        let distance = if self.stride < 0 { self.start - self.end } else { self.end - self.start };
        if self.stride == 0 || distance < 0 {
            return None;
        }
        if distance == 0 {
            return Some(0);
        }
        let count = (distance - 1) / self.stride.abs() + 1;
        let last = self.start + (count - 1) * self.stride;
        let exists = |place: i128| (0..of).contains(&place);
        let end_is_near = self.stride > 0 || self.end >= -1;
        (exists(self.start) && exists(last) && end_is_near).then_some(count)
    }
}

/// Returns a number near an edge.
fn edge(random: &mut Random) -> i64 {
    let near = random.below(5) as i64 - 2;
    random.pick(&EDGES).saturating_add(near)
}

fn literal(value: i128) -> Name {
    Name { text: literal_text(value), kind: Kind::Number, value }
}

/// Returns a literal. The least number has none of its own.
fn literal_text(value: i128) -> String {
    match value {
        _ if value == i128::from(i64::MIN) => "i64.lowest".to_string(),
        0.. => value.to_string(),
        _ => format!("({value})"),
    }
}

fn sum(numbers: impl Iterator<Item = i128>) -> i128 {
    numbers.fold(0, |sum, number| wrapped(sum + number))
}

/// Wraps a number to 64 bits.
fn wrapped(value: i128) -> i128 {
    i128::from(value as i64)
}
