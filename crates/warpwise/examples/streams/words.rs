//! Finds the word of a dictionary with a given MD5 sum. A word is an element: a padded block of sixteen numbers.

use std::error::Error;
use std::io;
use std::path::Path;

use warpwise::{
    Acc, Array, Consumer, Context, Exp, Matrix, Seq, Singleton, Source, SourceOptions, Vector, cond,
    generate, open, unit,
};

use super::files::write;

#[path = "../md5.rs"]
#[allow(dead_code, reason = "a program of its own")]
mod md5;

use md5::block;

/// Returns the word with this number: some letters and digits.
pub fn word(number: usize) -> String {
    const STEMS: [&str; 8] = ["pass", "summer", "dragon", "a", "monkey", "letmein", "qwerty", "shadow"];
    format!("{}{:x}", STEMS[number % STEMS.len()], number / STEMS.len())
}

/// Computes the sum of a word.
pub fn sum(context: &Context, word: &str) -> Result<[u32; 4], warpwise::Error> {
    let sums = context.compile(|blocks: Acc<Vector<[u32; 16]>>| blocks.map(md5::digest))?;
    let sums = sums.run(&Array::from(vec![block(word.as_bytes())]))?;
    Ok(sums.get([0]).map_or([0; 4], |(a, b, c, d)| [a, b, c, d]))
}

/// Returns the number of a word if its block has this sum, otherwise -1.
fn found(block: [Exp<u32>; 16], number: Exp<i64>, wanted: [u32; 4]) -> Exp<i64> {
    let (a, b, c, d) = md5::digest(block);
    cond(a.eq(wanted[0]) & b.eq(wanted[1]) & c.eq(wanted[2]) & d.eq(wanted[3]), number, -1)
}

/// Returns the number of the last word with this sum, or -1.
pub fn sequence(words: &Seq<Acc<Vector<u32>>>, wanted: [u32; 4]) -> Consumer<Singleton<i64>> {
    let numbers = Seq::produce_forever(unit);
    let found = words.zip_with(&numbers, |word, number| {
        let block = std::array::from_fn(|i| word.at(i as i64));
        unit(found(block, number.the(), wanted))
    });
    let none = Array::from_vec([], vec![-1]).expect("one element");
    found.fold(none, |x, y| x.zip_with(&y, |x, y| x.max(y)))
}

/// Searches all words at once, as rows of a matrix.
pub fn whole(words: &Acc<Matrix<u32>>, wanted: [u32; 4]) -> Acc<Singleton<i64>> {
    let (count, _) = words.extents();
    let words = words.reader();
    let matches = generate(count, move |number| {
        found(std::array::from_fn(|i| words.at((number, i as i64))), number, wanted)
    });
    matches.fold(-1, |x, y| x.max(y))
}

/// Makes `count` words, each a row.
pub fn dictionary(count: usize) -> Result<Matrix<u32>, warpwise::Error> {
    Array::from_vec([count, 16], (0..count).flat_map(|number| block(word(number).as_bytes())).collect())
}

/// Writes words to a folder.
pub fn store(words: &Matrix<u32>, folder: &Path) -> io::Result<()> {
    write(&folder.join("words.raw"), words.as_slice().iter().map(|x| x.to_le_bytes()))
}

/// Opens the words in a folder.
pub fn sources(folder: &Path) -> Result<Vec<Box<dyn Source>>, warpwise::Error> {
    let options = SourceOptions { shape: vec![16], ..SourceOptions::default() };
    Ok(vec![open::<u32>(&folder.join("words.raw"), 1, &options)?])
}

/// Reads a sequence of words.
pub fn read(sources: Vec<Box<dyn Source>>) -> Result<Seq<Acc<Vector<u32>>>, warpwise::Error> {
    Seq::read(sources)
}

/// Looks for words that are in the dictionary, and for one that is not.
pub fn check(context: &Context, folder: &Path) -> Result<(), Box<dyn Error>> {
    let words = dictionary(300)?;
    store(&words, folder)?;
    for (searched, expected) in [(word(299), 299), ("other".to_string(), -1)] {
        let wanted = sum(context, &searched)?;
        let whole = context.compile(|words: Acc<Matrix<u32>>| whole(&words, wanted))?;
        for found in [
            sequence(&Seq::rows(&words), wanted).run(context)?,
            sequence(&read(sources(folder)?)?, wanted).run(context)?,
            whole.run(&words)?,
        ] {
            assert_eq!(found.to_vec(), [expected], "{searched}");
        }
    }
    Ok(())
}
