//! Searches a dictionary, one word per line, for the word with a given MD5 sum (RFC 1321):
//! `cargo run --release --example md5 [DICTIONARY SUM]`.
//!
//! The host packs words into padded messages, one part of the file per thread; the compiled program hashes and compares them.
//! Words of up to 15 bytes are the common case: four numbers and a length, each in an array of its own that is not copied. Words
//! of up to 55 bytes are hashed separately. Longer words would need several blocks, and are ignored.

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, Context, Exp, Function, Vector, cond, zip_with5};

/// Rotation amounts: four numbers per round, used in turn.
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

/// Length in bytes of the longest word that fits in four numbers, and of the longest that fits in one block.
const SHORT: usize = 15;
const LONG: usize = 55;

type Numbers = Acc<Vector<u32>>;
type Blocks = Acc<Vector<[u32; 16]>>;
type Wanted = Exp<[u32; 4]>;
type Short = (Numbers, Numbers, Numbers, Numbers, Numbers, Wanted);

type Digest<T> = (T, T, T, T);

/// Computes the MD5 sum of a block.
pub fn digest(block: [Exp<u32>; 16]) -> Digest<Exp<u32>> {
    let initial = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476].map(Exp::constant);
    let [mut a, mut b, mut c, mut d] = initial;
    for step in 0..64 {
        let (mixed, word) = match step / 16 {
            0 => ((b & c) | (!b & d), step),
            1 => ((d & b) | (!d & c), (5 * step + 1) % 16),
            2 => (b ^ c ^ d, (3 * step + 5) % 16),
            _ => (c ^ (b | !d), (7 * step) % 16),
        };
        let constant = (((step + 1) as f64).sin().abs() * 4_294_967_296.0) as u32;
        let sum = a + mixed + constant + block[word];
        (a, d, c, b) = (d, c, b, b + sum.rotate_left(ROTATIONS[step / 16][step % 4]));
    }
    (a + initial[0], b + initial[1], c + initial[2], d + initial[3])
}

/// Pads a message of one block: its first numbers, zeros, and its length in bits.
pub(crate) fn padded(numbers: &[Exp<u32>], bytes: Exp<u32>) -> [Exp<u32>; 16] {
    let zero = Exp::constant(0_u32);
    std::array::from_fn(|at| if at == 14 { bytes * 8 } else { numbers.get(at).copied().unwrap_or(zero) })
}

/// Returns whether a sum is the wanted one.
fn is(found: Digest<Exp<u32>>, wanted: [Exp<u32>; 4]) -> Exp<bool> {
    let (a, b, c, d) = found;
    a.eq(wanted[0]) & b.eq(wanted[1]) & c.eq(wanted[2]) & d.eq(wanted[3])
}

/// Returns the index of the first `true`, or `i64::MAX`.
fn first(found: &Acc<Vector<bool>>) -> Exp<i64> {
    found.imap(|number, found| cond(found, number, i64::MAX)).fold(i64::MAX, |x, y| x.min(y)).the()
}

/// A search for words with a given sum.
pub(crate) struct Search {
    short: Function<Short, Exp<i64>>,
    long: Function<(Blocks, Wanted), Exp<i64>>,
}

impl Search {
    /// Compiles the functions that hash words.
    pub(crate) fn new(context: &Context) -> Result<Search, warpwise::Error> {
        let short = context.compile(
            |a: Numbers, b: Numbers, c: Numbers, d: Numbers, bytes: Numbers, wanted: Wanted| {
                let wanted = wanted.view();
                first(&zip_with5(&a, &b, &c, &d, &bytes, |a, b, c, d, bytes| {
                    is(digest(padded(&[a, b, c, d], bytes)), wanted)
                }))
            },
        )?;
        let long = context.compile(|blocks: Blocks, wanted: Wanted| {
            let wanted = wanted.view();
            first(&blocks.map(|block| is(digest(block), wanted)))
        })?;
        Ok(Search { short, long })
    }

    /// Finds the first word with this sum in a part of a text; short words come before long ones.
    pub(crate) fn find<'t>(
        &self,
        text: &'t [u8],
        wanted: [u32; 4],
    ) -> Result<Option<&'t [u8]>, warpwise::Error> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let parts = parts(text, threads);
        let packed: Vec<Packed> = std::thread::scope(|scope| {
            let packing: Vec<_> = parts.iter().map(|part| scope.spawn(|| Packed::of(part))).collect();
            let packed = packing.into_iter().map(|thread| thread.join());
            packed.map(|packed| packed.unwrap_or_else(|panic| std::panic::resume_unwind(panic))).collect()
        });
        for (part, Packed { numbers, bytes, long }) in parts.into_iter().zip(packed) {
            let [a, b, c, d] = numbers.map(Vector::<u32>::try_from);
            let found = self.short.run(&a?, &b?, &c?, &d?, &bytes.into(), wanted)?;
            let mut short = words(part).filter(|word| word.len() <= SHORT);
            if let Some(word) = usize::try_from(found).ok().and_then(|number| short.nth(number)) {
                return Ok(Some(word));
            }
            if !long.is_empty() {
                let found = self.long.run(&long.into(), wanted)?;
                let mut long = words(part).filter(|word| is_long(word));
                if let Some(word) = usize::try_from(found).ok().and_then(|number| long.nth(number)) {
                    return Ok(Some(word));
                }
            }
        }
        Ok(None)
    }
}

/// Iterates over the lines of a text.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n')
}

fn is_long(word: &[u8]) -> bool {
    (SHORT + 1..=LONG).contains(&word.len())
}

/// Splits a text at line ends into about `count` parts.
fn parts(text: &[u8], count: usize) -> Vec<&[u8]> {
    let (mut rest, mut parts) = (text, Vec::new());
    while !rest.is_empty() {
        let least = (text.len() / count).min(rest.len() - 1);
        let end =
            rest[least..].iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| least + at + 1);
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after;
    }
    parts
}

/// The words of a text, as padded messages.
struct Packed {
    /// Messages of the short words, without their lengths.
    numbers: [Vec<u32>; 4],
    /// Lengths of the short words.
    bytes: Vec<u32>,
    /// Messages of the longer words.
    long: Vec<[u32; 16]>,
}

impl Packed {
    fn of(text: &[u8]) -> Packed {
        let mut packed = Packed { numbers: Default::default(), bytes: Vec::new(), long: Vec::new() };
        for word in words(text) {
            if word.len() <= SHORT {
                let numbers = message::<4>(word);
                packed.numbers.iter_mut().zip(numbers).for_each(|(column, number)| column.push(number));
                packed.bytes.push(word.len() as u32);
            } else if is_long(word) {
                packed.long.push(block(word));
            }
        }
        packed
    }
}

/// Pads a word of at most 55 bytes to a block.
pub(crate) fn block(word: &[u8]) -> [u32; 16] {
    let mut block = message(word);
    block[14] = 8 * word.len() as u32;
    block
}

/// Returns the first numbers of a padded message, before the length.
fn message<const N: usize>(word: &[u8]) -> [u32; N] {
    let mut bytes = [[0; 4]; N];
    bytes.as_flattened_mut()[..word.len()].copy_from_slice(word);
    bytes.as_flattened_mut()[word.len()] = 0x80;
    bytes.map(u32::from_le_bytes)
}

/// Parses a sum in hexadecimal.
pub(crate) fn numbers(sum: &str) -> Result<[u32; 4], Box<dyn Error>> {
    let part = |at: usize| u32::from_str_radix(sum.get(8 * at..8 * at + 8).unwrap_or(""), 16);
    Ok([part(0)?, part(1)?, part(2)?, part(3)?].map(u32::swap_bytes))
}

/// Finds words with known sums.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let known = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
        ("abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"),
    ];
    let search = Search::new(context)?;
    let lines: String = known.iter().map(|(word, _)| format!("{word}\n")).collect();
    for (word, sum) in known {
        let found = search.find(lines.as_bytes(), numbers(sum)?)?;
        assert_eq!(found, Some(word.as_bytes()), "{sum}");
    }
    assert_eq!(search.find(lines.as_bytes(), [1, 2, 3, 4])?, None);
    assert_eq!(search.find(b"", [1, 2, 3, 4])?, None);
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let context = Context::new()?;
    check(&context)?;
    let mut arguments = std::env::args().skip(1);
    let (lines, wanted) = match (arguments.next(), arguments.next()) {
        (Some(dictionary), Some(sum)) => (std::fs::read(dictionary)?, sum),
        _ => {
            let words: String = (0..1_000_000).map(|number| format!("word{number}\n")).collect();
            (words.into_bytes(), "c1f35248fa5026ff31ec6263121c52ec".to_string())
        }
    };
    let search = Search::new(&context)?;
    let start = Instant::now();
    let found = search.find(&lines, numbers(&wanted)?)?.map(String::from_utf8_lossy);
    let time = start.elapsed();
    println!(
        "{} bytes of words in {time:?}: {}",
        lines.len(),
        found.as_deref().unwrap_or("no word has this sum")
    );
    Ok(())
}
