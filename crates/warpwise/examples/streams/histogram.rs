//! The distribution of numbers between 0 and 1: an element is a block of numbers.

use std::error::Error;
use std::io;
use std::path::Path;

use warpwise::{Acc, Array, Consumer, Context, Seq, Source, SourceOptions, Vector, fill, open};

use super::files::write;
use super::random::unit;

/// Number of numbers of an element.
pub const BLOCK: usize = 1 << 16;
/// Number of bins.
const BINS: i64 = 256;

/// Counts the numbers in each bin.
pub fn counts(numbers: &Acc<Vector<f32>>) -> Acc<Vector<i64>> {
    let (ones, numbers) = (fill(numbers.size(), 1_i64), numbers.reader());
    let bin = move |i| (numbers.at(i) * BINS as f32).cast::<i64>().clamp(0, BINS - 1);
    fill(BINS, 0_i64).permute(&ones, |x, y| x + y, move |i| (true, bin(i)))
}

/// Counts the numbers of all blocks together.
pub fn sequence(blocks: &Seq<Acc<Vector<f32>>>) -> Consumer<Vector<i64>> {
    let none = Array::from_vec([BINS as usize], vec![0; BINS as usize]).expect("so many elements");
    blocks.map(|block| counts(&block)).fold(none, |xs, ys| xs.zip_with(&ys, |x, y| x + y))
}

/// Returns the number at a position.
pub fn number(place: u64) -> f32 {
    (unit(1, place) * unit(2, place)) as f32
}

/// Writes numbers to a folder.
pub fn store(numbers: impl Iterator<Item = f32>, folder: &Path) -> io::Result<()> {
    write(&folder.join("numbers.raw"), numbers.map(f32::to_le_bytes))
}

/// Opens the numbers in a folder, in blocks.
pub fn sources(folder: &Path, block: usize) -> Result<Vec<Box<dyn Source>>, warpwise::Error> {
    let options = SourceOptions { shape: vec![block as i64], ..SourceOptions::default() };
    Ok(vec![open::<f32>(&folder.join("numbers.raw"), 1, &options)?])
}

/// Reads a sequence of blocks.
pub fn read(sources: Vec<Box<dyn Source>>) -> Result<Seq<Acc<Vector<f32>>>, warpwise::Error> {
    Seq::read(sources)
}

/// Compares with plain loops.
pub fn check(context: &Context, folder: &Path) -> Result<(), Box<dyn Error>> {
    let numbers: Vec<f32> = (0..6000).map(number).collect();
    let mut expected = vec![0; BINS as usize];
    numbers.iter().for_each(|x| expected[(x * BINS as f32) as usize] += 1);
    store(numbers.iter().copied(), folder)?;
    let whole = context.compile(|numbers: Acc<Vector<f32>>| counts(&numbers))?;
    let numbers: Vector<f32> = numbers.into();
    for found in [
        sequence(&Seq::windows(&numbers, 200, 200)).run(context)?,
        sequence(&read(sources(folder, 500)?)?).run(context)?,
        whole.run(&numbers)?,
    ] {
        assert_eq!(found.to_vec(), expected);
    }
    Ok(())
}
