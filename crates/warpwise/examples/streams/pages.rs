//! The ranks of pages that link to each other: the links do not fit in memory, the pages do.

use std::error::Error;
use std::io;
use std::path::Path;

use warpwise::{Acc, Array, Consumer, Context, Seq, Source, SourceOptions, Vector, fill, open, use_};

use super::files::write;
use super::random::{bits, unit};

/// The page that contains the link, and the page that it points to.
pub type Link = (i32, i32);

/// Number of links of an element.
pub const BLOCK: usize = 1 << 20;

/// Fraction of its rank that a page passes on.
const SHARE: f64 = 0.85;

/// Makes links between pages, about `mean` per page, sorted by source. Few pages have many links, and few pages are the target of
/// many.
pub fn links(pages: usize, mean: usize) -> Result<Vector<Link>, warpwise::Error> {
    let mut links = Vec::new();
    for from in 0..pages {
        // The fraction of pages with more than n links falls with the square of n.
        let count = (0.5 * mean as f64 / unit(1, from as u64).max(1e-9).sqrt()) as usize;
        for i in 0..count.clamp(1, pages) {
            let place = ((from as u64) << 24) | i as u64;
            let popular = (pages as f64 * unit(2, place).powi(3)) as u64;
            links.push((from as i32, (bits(3, popular) % pages as u64) as i32));
        }
    }
    Ok(links.into())
}

/// Counts the links of each page.
pub fn degrees(
    blocks: &Seq<Acc<Vector<Link>>>,
    pages: usize,
) -> Result<Consumer<Vector<f64>>, warpwise::Error> {
    let none = Array::from_vec([pages], vec![0.0; pages])?;
    Ok(blocks.accumulate(none, |degrees: Acc<Vector<f64>>, links| {
        let from = links.reader();
        degrees.permute(&fill(links.size(), 1.0), |x, y| x + y, move |i| (true, from.at(i).0.cast::<i64>()))
    }))
}

/// Computes the share that each link of a page passes on, by page.
pub fn shares(ranks: &Acc<Vector<f64>>, degrees: &Acc<Vector<f64>>) -> Acc<Vector<f64>> {
    ranks.zip_with(degrees, |rank, degree| SHARE * rank / degree.max(1.0))
}

/// Computes the ranks after another iteration: the shares passed on by links, in addition to a base rank.
pub fn sequence(
    blocks: &Seq<Acc<Vector<Link>>>,
    shares: &Vector<f64>,
) -> Result<Consumer<Vector<f64>>, warpwise::Error> {
    let pages = shares.len();
    let rest = Array::from_vec([pages], vec![(1.0 - SHARE) / pages as f64; pages])?;
    let shares = use_(shares);
    Ok(blocks.accumulate(rest, |ranks: Acc<Vector<f64>>, links| given(&ranks, &links, &shares)))
}

/// Computes the same from all links at once.
pub fn whole(links: &Acc<Vector<Link>>, shares: &Acc<Vector<f64>>) -> Acc<Vector<f64>> {
    let pages = shares.size();
    given(&fill(pages, (1.0 - SHARE) / pages.cast::<f64>()), links, shares)
}

/// Adds the shares passed on by links to ranks.
fn given(ranks: &Acc<Vector<f64>>, links: &Acc<Vector<Link>>, shares: &Acc<Vector<f64>>) -> Acc<Vector<f64>> {
    let (shares, places) = (shares.reader(), links.reader());
    let gifts = links.map(move |(from, _)| shares.at(from.cast::<i64>()));
    ranks.permute(&gifts, |x, y| x + y, move |i| (true, places.at(i).1.cast::<i64>()))
}

/// Writes links as two files in a folder.
pub fn store(links: &Vector<Link>, folder: &Path) -> io::Result<()> {
    let links = links.to_vec();
    write(&folder.join("from.raw"), links.iter().map(|link| link.0.to_le_bytes()))?;
    write(&folder.join("to.raw"), links.iter().map(|link| link.1.to_le_bytes()))
}

/// Opens the two files.
pub fn sources(folder: &Path) -> Result<Vec<Box<dyn Source>>, warpwise::Error> {
    let side = |name: &str| open::<i32>(&folder.join(name), 0, &SourceOptions::default());
    Ok(vec![side("from.raw")?, side("to.raw")?])
}

/// Reads links in blocks.
pub fn read(sources: Vec<Box<dyn Source>>, block: usize) -> Result<Seq<Acc<Vector<Link>>>, warpwise::Error> {
    Seq::read_blocks(sources, block)
}

/// Compares some iterations with plain loops.
pub fn check(context: &Context, folder: &Path) -> Result<(), Box<dyn Error>> {
    const PAGES: usize = 300;
    let links = links(PAGES, 10)?;
    store(&links, folder)?;
    let blocks = || read(sources(folder)?, 1000);
    let plain = links.to_vec();
    let mut counts = vec![0.0; PAGES];
    plain.iter().for_each(|link| counts[link.0 as usize] += 1.0);
    let degrees = degrees(&blocks()?, PAGES)?.run(context)?;
    assert_eq!(degrees.to_vec(), counts);
    let shares =
        context.compile(|ranks: Acc<Vector<f64>>, degrees: Acc<Vector<f64>>| shares(&ranks, &degrees))?;
    let all = context.compile(|links: Acc<Vector<Link>>, shares: Acc<Vector<f64>>| whole(&links, &shares))?;
    let mut expected = vec![1.0 / PAGES as f64; PAGES];
    let mut ranks: Vector<f64> = expected.clone().into();
    for _ in 0..5 {
        let mut next = vec![(1.0 - SHARE) / PAGES as f64; PAGES];
        for &(from, to) in &plain {
            next[to as usize] += SHARE * expected[from as usize] / counts[from as usize];
        }
        expected = next;
        let given = shares.run(&ranks, &degrees)?;
        ranks = sequence(&blocks()?, &given)?.run(context)?;
        for found in [&ranks, &all.run(&links, &given)?] {
            let differ = |(x, y): (&f64, &f64)| (x - y).abs() > 1e-12;
            assert!(!found.to_vec().iter().zip(&expected).any(differ));
        }
    }
    Ok(())
}
