//! Searches a dictionary for the word with a given MD5 sum (RFC 1321): `cargo run --release --example md5 [SUM]`.
//!
//! Every word is one block: the message is padded on the host, so that an element is sixteen words of 32 bits.

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Exp, Vector};

/// How far each step rotates: four numbers a round, in turn.
const ROTATIONS: [[u32; 4]; 4] = [[7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21]];

type Digest<T> = (T, T, T, T);

/// The sum of a block.
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

/// The number of a word with this sum, or -1.
fn search(blocks: &Acc<Vector<[u32; 16]>>, wanted: [Exp<u32>; 4]) -> Exp<i64> {
    let matches = blocks.imap(move |number, block| {
        let (a, b, c, d) = digest(block);
        let found = a.eq(wanted[0]) & b.eq(wanted[1]) & c.eq(wanted[2]) & d.eq(wanted[3]);
        warpwise::cond(found, number, -1)
    });
    matches.fold(-1, |x, y| x.max(y)).the()
}

/// A word of at most 55 bytes as a padded message.
pub fn block(word: &str) -> [u32; 16] {
    let mut bytes = [0; 64];
    bytes[..word.len()].copy_from_slice(word.as_bytes());
    bytes[word.len()] = 0x80;
    bytes[56..].copy_from_slice(&(8 * word.len() as u64).to_le_bytes());
    std::array::from_fn(|i| {
        u32::from_le_bytes([bytes[4 * i], bytes[4 * i + 1], bytes[4 * i + 2], bytes[4 * i + 3]])
    })
}

fn text((a, b, c, d): Digest<u32>) -> String {
    [a, b, c, d].iter().flat_map(|word| word.to_le_bytes()).map(|byte| format!("{byte:02x}")).collect()
}

/// Compares with sums from the RFC.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let known = [
        ("", "d41d8cd98f00b204e9800998ecf8427e"),
        ("a", "0cc175b9c0f1b6a831c399e269772661"),
        ("abc", "900150983cd24fb0d6963f7d28e17f72"),
        ("message digest", "f96b697d7cb7938d525a2f31aaf161d0"),
    ];
    let sums = context.compile(|blocks: Acc<Vector<[u32; 16]>>| blocks.map(digest))?;
    let blocks = known.iter().map(|(word, _)| block(word)).collect();
    let found = sums.run(&Array::from_vec([known.len()], blocks)?)?.to_vec();
    for ((word, expected), found) in known.iter().zip(found) {
        assert_eq!(text(found), *expected, "{word}");
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let context = Context::new()?;
    check(&context)?;
    let sums = context.compile(|blocks: Acc<Vector<[u32; 16]>>| blocks.map(digest))?;
    let some = sums.run(&Array::try_from(vec![block("word765432")])?)?.get([0]).map(text);
    let wanted = std::env::args().nth(1).or(some).unwrap_or_default();
    let part =
        |i: usize| u32::from_str_radix(wanted.get(8 * i..8 * i + 8).unwrap_or(""), 16).map(u32::swap_bytes);
    let wanted = [part(0)?, part(1)?, part(2)?, part(3)?];
    let words: Vec<String> = (0..1_000_000).map(|number| format!("word{number}")).collect();
    let blocks = Array::from_vec([words.len()], words.iter().map(|word| block(word)).collect())?;
    let function = context
        .compile(|blocks: Acc<Vector<[u32; 16]>>, wanted: Exp<[u32; 4]>| search(&blocks, wanted.view()))?;
    let start = Instant::now();
    let found = function.run(&blocks, &wanted)?;
    let word = usize::try_from(found).ok().and_then(|number| words.get(number));
    println!(
        "{} words in {:?}: {}",
        words.len(),
        start.elapsed(),
        word.map_or("no word has this sum", |word| word)
    );
    Ok(())
}
