//! The measured programs, with their files.

use std::path::{Path, PathBuf};

use warpwise::{
    Acc, Array, Context, Elt, Matrix, Seq, Shape, Source, Streaming, Vector, consume, consume_with,
};

use super::{audio, clusters, histogram, matrices, pages, words};

/// A measured program.
pub struct Subject {
    pub name: &'static str,
    /// Function that writes files of a given size in bytes to a folder.
    pub generate: fn(&Path, u64) -> Result<(), String>,
    /// Factor by which its files are smaller, because it computes longer per byte.
    pub divisor: u64,
    /// Function that reads the files into arrays.
    pub load: fn(&Context, &Path) -> Result<Loaded, String>,
    /// Function that prepares the computation from the files.
    pub streamed: fn(Context, PathBuf) -> Result<Streamed, String>,
    /// Computation from files that discards its results, for programs whose results grow with the files.
    pub passing: Option<Passing>,
    /// Maximum difference of results, as a fraction of the largest.
    pub tolerance: f64,
}

/// A function applied to the sources of a program before they are read.
pub type Through<'t> = &'t dyn Fn(Box<dyn Source>) -> Box<dyn Source>;

/// A computation from files.
pub type Streamed = Box<dyn Fn(&Streaming, Through) -> Answer>;

/// A computation from files that discards its results.
pub type Passing = fn(&Context, &Path, &Streaming) -> Result<(), String>;

/// A result, which is converted to numbers on demand.
pub type Answer = Result<Box<dyn Fn() -> Vec<f64>>, String>;

/// The two programs on arrays in memory.
pub struct Loaded {
    pub whole: Box<dyn Fn() -> Answer>,
    pub sequence: Box<dyn Fn() -> Answer>,
}

/// All programs.
pub const SUBJECTS: [Subject; 6] = [
    Subject {
        name: "smvm",
        generate: |folder, bytes| {
            let matrix = matrices::KINDS[11].matrix((bytes / 12) as usize).map_err(text)?;
            matrices::store(&matrix, folder).map_err(text)
        },
        divisor: 1,
        load: smvm,
        streamed: |context, folder| {
            let rows = matrices::sources(&folder).map_err(text)?[0].left().unwrap_or(0);
            let vector = vector_of(rows as usize)?;
            Ok(Box::new(move |streaming, through| {
                let rows = matrices::read(all(matrices::sources(&folder), through)?).map_err(text)?;
                done(consume_with(&context, matrices::sequence(&rows, &vector), streaming).map_err(text)?)
            }))
        },
        passing: None,
        tolerance: 1e-12,
    },
    Subject {
        name: "audio",
        generate: |folder, bytes| audio::store(&audio::samples(bytes as usize / 2), folder).map_err(text),
        divisor: 8,
        load: sound,
        streamed: |context, folder| {
            let waves = audio::waves().map_err(text)?;
            Ok(Box::new(move |streaming, through| {
                let windows = audio::read(all(audio::sources(&folder), through)?).map_err(text)?;
                heard(consume_with(&context, audio::sequence(&windows, &waves), streaming).map_err(text)?)
            }))
        },
        passing: Some(|context, folder, streaming| {
            let windows = audio::read(audio::sources(folder).map_err(text)?).map_err(text)?;
            let waves = audio::waves().map_err(text)?;
            consume_with(context, audio::passing(&windows, &waves), streaming).map(drop).map_err(text)
        }),
        tolerance: 1e-5,
    },
    Subject {
        name: "md5",
        generate: |folder, bytes| {
            let dictionary = words::dictionary(bytes as usize / 64).map_err(text)?;
            words::store(&dictionary, folder).map_err(text)
        },
        divisor: 1,
        load: passwords,
        streamed: |context, folder| {
            let words = words::sources(&folder).map_err(text)?[0].left().unwrap_or(0);
            let wanted = searched(&context, words)?;
            Ok(Box::new(move |streaming, through| {
                let blocks = words::read(all(words::sources(&folder), through)?).map_err(text)?;
                done(consume_with(&context, words::sequence(&blocks, wanted), streaming).map_err(text)?)
            }))
        },
        passing: None,
        tolerance: 0.0,
    },
    Subject {
        name: "page rank",
        generate: |folder, bytes| {
            let links = pages::links((bytes / 184) as usize, 23).map_err(text)?;
            pages::store(&links, folder).map_err(text)
        },
        divisor: 1,
        load: ranks,
        streamed: |context, folder| {
            let links = pages::sources(&folder).map_err(text)?[0].left().unwrap_or(0);
            let shares = shares(links)?;
            Ok(Box::new(move |streaming, through| {
                let sources = all(pages::sources(&folder), through)?;
                let blocks = pages::read(sources, pages::BLOCK).map_err(text)?;
                let consumer = pages::sequence(&blocks, &shares).map_err(text)?;
                done(consume_with(&context, consumer, streaming).map_err(text)?)
            }))
        },
        passing: None,
        tolerance: 1e-12,
    },
    Subject {
        name: "k-means",
        generate: |folder, bytes| {
            let blocks = (bytes as usize / 16).div_ceil(clusters::BLOCK);
            clusters::store(&clusters::points(blocks * clusters::BLOCK, 16), folder).map_err(text)
        },
        divisor: 1,
        load: points,
        streamed: |context, folder| {
            let centres = centres()?;
            Ok(Box::new(move |streaming, through| {
                let sources = all(clusters::sources(&folder, clusters::BLOCK), through)?;
                let blocks = clusters::read(sources).map_err(text)?;
                let consumer = clusters::sequence(&blocks, &centres).map_err(text)?;
                summed(consume_with(&context, consumer, streaming).map_err(text)?)
            }))
        },
        passing: None,
        tolerance: 1e-9,
    },
    Subject {
        name: "histogram",
        generate: |folder, bytes| {
            let blocks = bytes.div_ceil(4).div_ceil(histogram::BLOCK as u64);
            let numbers = (0..blocks * histogram::BLOCK as u64).map(histogram::number);
            histogram::store(numbers, folder).map_err(text)
        },
        divisor: 1,
        load: numbers,
        streamed: |context, folder| {
            Ok(Box::new(move |streaming, through| {
                let sources = all(histogram::sources(&folder, histogram::BLOCK), through)?;
                let blocks = histogram::read(sources).map_err(text)?;
                done(consume_with(&context, histogram::sequence(&blocks), streaming).map_err(text)?)
            }))
        },
        passing: None,
        tolerance: 0.0,
    },
];

fn smvm(context: &Context, folder: &Path) -> Result<Loaded, String> {
    let lengths: Vec<i64> = read(&folder.join("lengths.raw"))?;
    let columns: Vec<i32> = read(&folder.join("columns.raw"))?;
    let values: Vec<f64> = read(&folder.join("values.raw"))?;
    let elements: Vector<(i32, f64)> = array(columns.into_iter().zip(values).collect())?;
    let x = vector_of(lengths.len())?;
    let lengths: Vector<i64> = array(lengths)?;
    let product = context
        .compile(|lengths: Acc<Vector<i64>>, elements, x| matrices::whole(&lengths, &elements, &x))
        .map_err(text)?;
    let context = context.clone();
    let (all, same, vector) = (elements.clone(), lengths.clone(), x.clone());
    Ok(Loaded {
        whole: Box::new(move || done(product.run(&lengths, &all, &vector).map_err(text)?)),
        sequence: Box::new(move || {
            let rows = Seq::segments(&elements, &same);
            done(consume(&context, matrices::sequence(&rows, &x)).map_err(text)?)
        }),
    })
}

fn sound(context: &Context, folder: &Path) -> Result<Loaded, String> {
    // The samples follow a header of 22 16-bit values.
    let samples: Vec<i16> = read::<i16>(&folder.join("sound.wav"))?.split_off(22);
    let (samples, waves) = (array(samples)?, audio::waves().map_err(text)?);
    let whole = context
        .compile(|samples: Acc<Vector<i16>>, waves: Acc<Matrix<(f32, f32)>>| audio::whole(&samples, &waves))
        .map_err(text)?;
    let context = context.clone();
    let (all, same) = (samples.clone(), waves.clone());
    Ok(Loaded {
        whole: Box::new(move || heard(whole.run(&all, &same).map_err(text)?)),
        sequence: Box::new(move || {
            let windows = Seq::windows(&samples, audio::SIZE, audio::STEP);
            heard(consume(&context, audio::sequence(&windows, &waves)).map_err(text)?)
        }),
    })
}

fn heard((bands, places, counts): audio::Found) -> Answer {
    Ok(Box::new(move || {
        let bands = bands.to_vec().into_iter().map(f64::from);
        let places = places.to_vec().into_iter().map(f64::from);
        bands.chain(places).chain(counts.to_vec().into_iter().map(|count| count as f64)).collect()
    }))
}

fn passwords(context: &Context, folder: &Path) -> Result<Loaded, String> {
    let numbers: Vec<u32> = read(&folder.join("words.raw"))?;
    let count = numbers.len() / 16;
    let blocks: Matrix<u32> = Array::from_vec([count, 16], numbers).map_err(text)?;
    let wanted = searched(context, count as u64)?;
    let whole = context.compile(|blocks: Acc<Matrix<u32>>| words::whole(&blocks, wanted)).map_err(text)?;
    let (context, all) = (context.clone(), blocks.clone());
    Ok(Loaded {
        whole: Box::new(move || done(whole.run(&all).map_err(text)?)),
        sequence: Box::new(move || {
            done(consume(&context, words::sequence(&Seq::rows(&blocks), wanted)).map_err(text)?)
        }),
    })
}

fn ranks(context: &Context, folder: &Path) -> Result<Loaded, String> {
    let from: Vec<i32> = read(&folder.join("from.raw"))?;
    let to: Vec<i32> = read(&folder.join("to.raw"))?;
    let shares = shares(from.len() as u64)?;
    let lengths = in_elements(&from)?;
    let links: Vector<pages::Link> = array(from.into_iter().zip(to).collect())?;
    let whole = context
        .compile(|links: Acc<Vector<pages::Link>>, shares: Acc<Vector<f64>>| pages::whole(&links, &shares))
        .map_err(text)?;
    let context = context.clone();
    let (all, same) = (links.clone(), shares.clone());
    Ok(Loaded {
        whole: Box::new(move || done(whole.run(&all, &same).map_err(text)?)),
        sequence: Box::new(move || {
            let blocks = Seq::segments(&links, &lengths);
            let consumer = pages::sequence(&blocks, &shares).map_err(text)?;
            done(consume(&context, consumer).map_err(text)?)
        }),
    })
}

fn points(context: &Context, folder: &Path) -> Result<Loaded, String> {
    let numbers: Vec<f32> = read(&folder.join("points.raw"))?;
    let count = numbers.len() / 4;
    let centres = centres()?;
    let blocks: Array<warpwise::Dim3, f32> =
        Array::from_vec([count / clusters::BLOCK, clusters::BLOCK, 4], numbers).map_err(text)?;
    let all: Matrix<f32> = blocks.reshaped([count, 4]).map_err(text)?;
    let whole = context
        .compile(|points: Acc<Matrix<f32>>, centres: Acc<Vector<[f32; 4]>>| {
            clusters::whole(&points, &centres)
        })
        .map_err(text)?;
    let (context, same) = (context.clone(), centres.clone());
    Ok(Loaded {
        whole: Box::new(move || summed(whole.run(&all, &same).map_err(text)?)),
        sequence: Box::new(move || {
            let consumer = clusters::sequence(&Seq::rows(&blocks), &centres).map_err(text)?;
            summed(consume(&context, consumer).map_err(text)?)
        }),
    })
}

fn summed(sums: Vector<clusters::Sum>) -> Answer {
    let one = |(sum, count): clusters::Sum| sum.into_iter().chain([count as f64]);
    Ok(Box::new(move || sums.to_vec().into_iter().flat_map(one).collect()))
}

fn numbers(context: &Context, folder: &Path) -> Result<Loaded, String> {
    let numbers: Vector<f32> = array(read(&folder.join("numbers.raw"))?)?;
    let whole = context.compile(|numbers: Acc<Vector<f32>>| histogram::counts(&numbers)).map_err(text)?;
    let (context, all) = (context.clone(), numbers.clone());
    Ok(Loaded {
        whole: Box::new(move || done(whole.run(&all).map_err(text)?)),
        sequence: Box::new(move || {
            let blocks = Seq::windows(&numbers, histogram::BLOCK, histogram::BLOCK);
            done(consume(&context, histogram::sequence(&blocks)).map_err(text)?)
        }),
    })
}

/// Creates the vector that a matrix with this number of columns is multiplied with.
fn vector_of(columns: usize) -> Result<Vector<f64>, String> {
    array((0..columns).map(|i| 1.0 + (i % 100) as f64 / 100.0).collect())
}

/// Returns the number of links of each element in memory: nothing is read ahead, so elements can be larger than those from files.
pub fn in_elements<L>(links: &[L]) -> Result<Vector<i64>, String> {
    array(links.chunks(4 * pages::BLOCK).map(|links| links.len() as i64).collect())
}

/// Returns the shares that pages give, for `links` links in all.
fn shares(links: u64) -> Result<Vector<f64>, String> {
    let pages = links as usize / 20;
    array((0..pages).map(|i| (1 + i % 10) as f64 / links as f64).collect())
}

/// Returns the hash of the word in the middle.
fn searched(context: &Context, count: u64) -> Result<[u32; 4], String> {
    words::sum(context, &words::word(count as usize / 2)).map_err(text)
}

fn centres() -> Result<Vector<[f32; 4]>, String> {
    clusters::centres(&clusters::points(16, 16), 16).map_err(text)
}

fn all(
    sources: Result<Vec<Box<dyn Source>>, warpwise::Error>,
    through: Through,
) -> Result<Vec<Box<dyn Source>>, String> {
    Ok(sources.map_err(text)?.into_iter().map(through).collect())
}

/// Reads the numbers in a file in their memory representation.
fn read<T: bytemuck::Pod>(path: &Path) -> Result<Vec<T>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    let bytes = std::fs::metadata(path).map_err(failed)?.len() as usize;
    let mut numbers = vec![T::zeroed(); bytes / size_of::<T>()];
    let mut file = std::fs::File::open(path).map_err(failed)?;
    std::io::Read::read_exact(&mut file, bytemuck::cast_slice_mut(&mut numbers)).map_err(failed)?;
    Ok(numbers)
}

fn array<E: Elt>(elements: Vec<E>) -> Result<Vector<E>, String> {
    Ok(elements.into())
}

fn done<Sh: Shape, E: warpwise::Scalar + Number>(array: Array<Sh, E>) -> Answer {
    Ok(Box::new(move || array.as_slice().iter().map(|x| x.number()).collect()))
}

/// A number in a result.
trait Number: Copy {
    fn number(self) -> f64;
}

impl Number for f64 {
    fn number(self) -> f64 {
        self
    }
}

impl Number for i64 {
    fn number(self) -> f64 {
        self as f64
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
