//! Sorting by digits: `cargo run --release --example radix_sort [COUNT]`.

use std::error::Error;
use std::time::Instant;

use warpwise::{Acc, Array, Context, Exp, Vector, awhile, fill, unit};

/// Moves the elements whose bit is not set before the others; the order is otherwise kept.
fn by_bit(keys: &Acc<Vector<u32>>, bit: Exp<u32>) -> Acc<Vector<u32>> {
    let is_low = keys.map(move |key| (!key.test_bit(bit)).to_int());
    let (before, lows) = is_low.scan_split(0, |x, y| x + y);
    let (before, lows) = (before.reader(), lows.the());
    let places = keys.imap(move |i, key| {
        let low: Exp<i64> = before.at(i);
        warpwise::cond(key.test_bit(bit), lows + i - low, low)
    });
    fill(keys.size(), 0_u32).scatter(&places, keys)
}

/// Returns the keys in ascending order.
fn sorted(keys: &Acc<Vector<u32>>) -> Acc<Vector<u32>> {
    let start = (keys.clone(), unit(0_u32));
    let (keys, _) = awhile(
        &start,
        |(_, bit)| bit.the().lt(32),
        |(keys, bit)| (by_bit(&keys, bit.the()), bit.map(|bit| bit + 1)),
    );
    keys
}

fn keys(count: usize) -> Vec<u32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761).rotate_left(i % 32)).collect()
}

/// Compares with the standard library.
pub fn check(context: &Context) -> Result<(), Box<dyn Error>> {
    let function = context.compile(|keys: Acc<Vector<u32>>| sorted(&keys))?;
    for count in [0, 1, 2, 1000] {
        let mut keys = keys(count);
        let found = function.run(&Array::from_vec([count], keys.clone())?)?.to_vec();
        keys.sort_unstable();
        assert_eq!(found, keys);
    }
    Ok(())
}

fn main() -> Result<(), Box<dyn Error>> {
    let count = std::env::args().nth(1).map_or(Ok(1_000_000), |count| count.parse())?;
    let context = Context::new()?;
    check(&context)?;
    let function = context.compile(|keys: Acc<Vector<u32>>| sorted(&keys))?;
    let keys = Array::from(keys(count));
    let start = Instant::now();
    let sorted = function.run(&keys)?;
    println!("{count} keys in {:?}, from {:?} on", start.elapsed(), sorted.get([0]));
    Ok(())
}
