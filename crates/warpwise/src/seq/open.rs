//! Sequences read from files and other byte sources: single elements, segments, blocks and windows.

use std::path::Path;

use warpwise_prim::ValueType;
use warpwise_stream::source::{self, Source, SourceOptions, Wanted};

use super::batch::Numbers;
use super::feed::Feed;
use super::reading::{Lengths, Segments, Sources, Windows};
use super::slot::{Gives, Maker};
use super::source::sourced;
use super::{Element, Seq};
use crate::acc::Acc;
use crate::array::{Array, Vector};
use crate::elt::{Elt, Scalar, components};
use crate::error::Error;
use crate::shape::Shape;

/// Opens a file, or standard input if the path is `-`, for [`Seq::read`] and related functions. Its elements have rank `rank`.
/// The format is determined by the file name's extension, unless the options specify it; files are memory-mapped if possible.
///
/// ```
/// use warpwise::{SourceOptions, open};
///
/// let path = std::env::temp_dir().join(format!("two-{}.raw", std::process::id()));
/// std::fs::write(&path, [0; 8])?;
/// assert_eq!(open::<i32>(&path, 0, &SourceOptions::default())?.left(), Some(2));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn open<E: Scalar>(path: &Path, rank: usize, options: &SourceOptions) -> Result<Box<dyn Source>, Error> {
    let &[scalar] = components::<E>().as_slice() else {
        return Err(Error::Limit("elements of several components from a file".to_string()));
    };
    source::open(path, Wanted { scalar, rank }, options).map_err(Error::Device)
}

impl<Sh: Shape, E: Elt> Seq<Acc<Array<Sh, E>>> {
    /// Reads the elements from sources, one source per component, once and in chunks.
    ///
    /// ```
    /// use warpwise::{Acc, Context, Seq, Singleton, SourceOptions, open};
    ///
    /// let path = std::env::temp_dir().join(format!("pairs-{}.csv", std::process::id()));
    /// std::fs::write(&path, "x,y\n1,2\n3,4\n")?;
    /// let column = |name: &str| SourceOptions { column: Some(name.to_string()), ..SourceOptions::default() };
    /// let sources = vec![open::<i32>(&path, 0, &column("x"))?, open::<i32>(&path, 0, &column("y"))?];
    /// let products = Seq::<Acc<Singleton<(i32, i32)>>>::read(sources)?.map_all(|(x, y)| x * y);
    /// assert_eq!(products.elements().run(&Context::cpu()?)?.to_vec(), [2, 12]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn read(sources: Vec<Box<dyn Source>>) -> Result<Seq<Acc<Array<Sh, E>>>, Error> {
        Ok(once(Gives::Regular, Sources::new(sources, &components::<E>(), Sh::RANK)?))
    }
}

impl<E: Elt> Seq<Acc<Vector<E>>> {
    /// Reads consecutive vectors from sources of scalars, one source per component; a separate source gives the vectors' lengths.
    ///
    /// ```
    /// use warpwise::{Acc, Context, Seq, SourceOptions, Vector, open};
    ///
    /// let path = |name: &str| std::env::temp_dir().join(format!("{name}-{}.csv", std::process::id()));
    /// let (lengths, words) = (path("lengths"), path("words"));
    /// std::fs::write(&lengths, "n\n2\n0\n1\n")?;
    /// std::fs::write(&words, "x\n1.5\n2.5\n3.5\n")?;
    /// let options = SourceOptions::default();
    /// let rows = Seq::<Acc<Vector<f64>>>::read_segments(
    ///     open::<i64>(&lengths, 0, &options)?,
    ///     vec![open::<f64>(&words, 0, &options)?],
    /// )?;
    /// assert_eq!(rows.map(|row| row.sum()).elements().run(&Context::cpu()?)?.to_vec(), [4.0, 0.0, 3.5]);
    /// # for path in [lengths, words] { std::fs::remove_file(&path)?; }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn read_segments(
        lengths: Box<dyn Source>,
        data: Vec<Box<dyn Source>>,
    ) -> Result<Seq<Acc<Vector<E>>>, Error> {
        let source = Sources::new(vec![lengths], &[ValueType::I64], 0)?;
        let lengths = Lengths::Given { source, waiting: Numbers::on_heap(Vec::new()) };
        Ok(once(Gives::Irregular, Segments { data: Sources::new(data, &components::<E>(), 0)?, lengths }))
    }

    /// Reads blocks of `size` (at least 1) scalars from sources, one source per component; the last block may be shorter.
    ///
    /// ```
    /// use warpwise::{Acc, Context, Seq, SourceOptions, Vector, open};
    ///
    /// let path = std::env::temp_dir().join(format!("blocks-{}.csv", std::process::id()));
    /// std::fs::write(&path, "x\n1\n2\n3\n")?;
    /// let blocks = Seq::<Acc<Vector<i32>>>::read_blocks(vec![open::<i32>(&path, 0, &SourceOptions::default())?], 2)?;
    /// assert_eq!(blocks.map(|block| block.sum()).elements().run(&Context::cpu()?)?.to_vec(), [3, 3]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn read_blocks(data: Vec<Box<dyn Source>>, size: usize) -> Result<Seq<Acc<Vector<E>>>, Error> {
        let lengths = Lengths::All(size.max(1) as i64);
        Ok(once(Gives::Irregular, Segments { data: Sources::new(data, &components::<E>(), 0)?, lengths }))
    }

    /// Reads windows of `size` (at least 1) scalars from sources, one source per component; each window starts `step` (at least
    /// 1) scalars after the preceding one.
    ///
    /// ```
    /// use warpwise::{Acc, Context, Seq, SourceOptions, Vector, open};
    ///
    /// let path = std::env::temp_dir().join(format!("windows-{}.csv", std::process::id()));
    /// std::fs::write(&path, "x\n1\n5\n2\n4\n3\n")?;
    /// let samples = vec![open::<i32>(&path, 0, &SourceOptions::default())?];
    /// let peaks = Seq::<Acc<Vector<i32>>>::read_windows(samples, 3, 2)?.map(|window| window.maximum());
    /// assert_eq!(peaks.elements().run(&Context::cpu()?)?.to_vec(), [5, 4]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn read_windows(
        data: Vec<Box<dyn Source>>,
        size: usize,
        step: usize,
    ) -> Result<Seq<Acc<Vector<E>>>, Error> {
        Ok(once(Gives::Regular, Windows::new(Sources::new(data, &components::<E>(), 0)?, size, step)))
    }
}

impl<Sh: Shape, E: Scalar> Seq<Acc<Array<Sh, E>>> {
    /// Opens a file, or standard input if the path is `-`, and reads its rows as `warpwise stream` does. The format is determined
    /// by the file name's extension, unless the options specify it. The file is opened immediately, and read once, in chunks.
    ///
    /// ```
    /// use warpwise::{Acc, Context, Seq, Singleton, SourceOptions};
    ///
    /// let path = std::env::temp_dir().join(format!("numbers-{}.csv", std::process::id()));
    /// std::fs::write(&path, "x,y\n1,2\n3,4\n")?;
    /// let options = SourceOptions { column: Some("y".to_string()), ..SourceOptions::default() };
    /// let numbers: Seq<Acc<Singleton<f32>>> = Seq::open(&path, &options)?;
    /// assert_eq!(numbers.elements().run(&Context::cpu()?)?.to_vec(), [2.0, 4.0]);
    /// # std::fs::remove_file(&path)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[track_caller]
    pub fn open(path: &Path, options: &SourceOptions) -> Result<Seq<Acc<Array<Sh, E>>>, Error> {
        Seq::read(vec![open::<E>(path, Sh::RANK, options)?])
    }
}

/// Makes the sequence of the elements of a feed that can be read once.
#[track_caller]
fn once<A: Element>(gives: Gives, feed: impl Feed + 'static) -> Seq<A> {
    sourced(gives, Maker::Once(Some(Box::new(feed))))
}
