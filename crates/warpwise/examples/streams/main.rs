//! Six programs over data that may exceed memory, each as a program of sequences, and for comparison of whole arrays:
//! `cargo run --release --example streams NAME [MEGABYTES]`, where the name is `matrices`, `audio`, `words`, `pages`, `clusters`
//! or `histogram`.
//!
//! The data is generated in a temporary folder, and read from there within 64 MiB of memory.

mod audio;
mod clusters;
mod files;
mod histogram;
mod matrices;
mod pages;
mod random;
mod words;

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use warpwise::{Array, Context, Streaming, Vector, consume_with};

/// Limit of the memory in use, in bytes.
const LIMIT: u64 = 64 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "histogram".to_string());
    let bytes = std::env::args().nth(2).map_or(Ok(256), |text| text.parse::<usize>())? << 20;
    let folder = std::env::temp_dir().join(format!("warpwise-streams-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let done = run(&name, bytes, &folder);
    std::fs::remove_dir_all(&folder)?;
    done
}

fn run(name: &str, bytes: usize, folder: &Path) -> Result<(), Box<dyn Error>> {
    let context = Context::new()?;
    let streaming = Streaming::new().memory_limit(LIMIT);
    match name {
        "matrices" => {
            matrices::check(&context, folder)?;
            let kind = matrices::KINDS[11];
            let matrix = kind.matrix(bytes / 12)?;
            matrices::store(&matrix, folder)?;
            let vector: Vector<f64> = vec![1.0; matrix.columns].into();
            let start = Instant::now();
            let rows = matrices::read(matrices::sources(folder)?)?;
            let sums = matrices::sequence(&rows, &vector).run_with(&context, &streaming)?;
            println!("{} rows of the {} in {:?}", sums.len(), kind.name, start.elapsed());
        }
        "audio" => {
            audio::check(&context, folder)?;
            audio::store(&audio::samples(bytes / 2), folder)?;
            let start = Instant::now();
            let windows = audio::read(audio::sources(folder)?)?;
            let (_, places, counts) =
                consume_with(&context, audio::sequence(&windows, &audio::waves()?), &streaming)?;
            println!("{} changes in {} windows in {:?}", places.len(), counts.len(), start.elapsed());
        }
        "words" => {
            words::check(&context, folder)?;
            let count = bytes / 64;
            words::store(&words::dictionary(count)?, folder)?;
            let wanted = words::sum(&context, &words::word(count / 2))?;
            let start = Instant::now();
            let found = words::sequence(&words::read(words::sources(folder)?)?, wanted)
                .run_with(&context, &streaming)?;
            let word = found.get([]).map(|number| words::word(number as usize));
            println!("{word:?} among {count} words in {:?}", start.elapsed());
        }
        "pages" => {
            pages::check(&context, folder)?;
            let count = bytes / 200;
            pages::store(&pages::links(count, 23)?, folder)?;
            let blocks = || pages::read(pages::sources(folder)?, pages::BLOCK);
            let shares = context.compile(|ranks, degrees| pages::shares(&ranks, &degrees))?;
            let start = Instant::now();
            let degrees = pages::degrees(&blocks()?, count)?.run_with(&context, &streaming)?;
            let mut ranks = Array::from(vec![1.0 / count as f64; count]);
            for _ in 0..10 {
                let given = shares.run(&ranks, &degrees)?;
                ranks = pages::sequence(&blocks()?, &given)?.run_with(&context, &streaming)?;
            }
            let ranks = ranks.to_vec();
            let best = ranks.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1));
            println!("10 rounds of {count} pages in {:?}; the first of all: {best:?}", start.elapsed());
        }
        "clusters" => {
            clusters::check(&context, folder)?;
            let blocks = (bytes / 16 / clusters::BLOCK).max(1);
            let points = clusters::points(blocks * clusters::BLOCK, 16);
            clusters::store(&points, folder)?;
            let mut centres = clusters::centres(&points, 16)?;
            let start = Instant::now();
            for _ in 0..5 {
                let blocks = clusters::read(clusters::sources(folder, clusters::BLOCK)?)?;
                let sums = clusters::sequence(&blocks, &centres)?.run_with(&context, &streaming)?;
                centres = clusters::moved(&sums, &centres)?;
            }
            println!(
                "5 rounds of {} points in {:?}: {:?}",
                points.len() / 4,
                start.elapsed(),
                centres.get([0])
            );
        }
        "histogram" => {
            histogram::check(&context, folder)?;
            let count = (bytes / 4 / histogram::BLOCK).max(1) * histogram::BLOCK;
            histogram::store((0..count as u64).map(histogram::number), folder)?;
            let start = Instant::now();
            let blocks = histogram::read(histogram::sources(folder, histogram::BLOCK)?)?;
            let counts = histogram::sequence(&blocks).run_with(&context, &streaming)?;
            println!("{count} numbers in {:?}: {:?}", start.elapsed(), counts.to_vec().first());
        }
        other => return Err(format!("there is no program `{other}`").into()),
    }
    Ok(())
}
