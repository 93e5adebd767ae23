//! WAV audio: an element is a sample, or the simultaneous samples of all channels.
//!
//! Samples of 16 and 32 bits are stored in a file as in memory, and are mapped; others are read one by one.

use std::fs::File;
use std::io::{self, Seek as _};

use hound::{SampleFormat, WavReader, WavSpec};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::{MappedSource, Read, Source, one_by_one};
use crate::element::ElementType;

/// A source of the samples of a WAV file.
pub struct WavSource {
    name: String,
    element: ElementType,
    reader: WavReader<Box<dyn io::Read + Send>>,
    left: u64,
    rate: u32,
}

impl WavSource {
    /// Reads the header. Scalar elements (`rank` 0) require a file with one channel. Samples of up to 8, 16 and 32 bits become
    /// i8, i16 and i32; floats become f32.
    pub fn new(name: &str, reader: Box<dyn io::Read + Send>, rank: usize) -> Result<WavSource, String> {
        let reader = WavReader::new(reader).map_err(|error| format!("{name}: {error}"))?;
        let spec = reader.spec();
        let element = element_of(name, spec, rank)?;
        let left = u64::from(reader.len() / u32::from(spec.channels));
        Ok(WavSource { name: name.to_string(), element, reader, left, rate: spec.sample_rate })
    }

    /// Returns the samples per second and channel.
    pub fn rate(&self) -> u32 {
        self.rate
    }

    /// Reads one sample; `None` at the end.
    fn sample(&mut self, target: &mut [u8]) -> Option<Result<(), hound::Error>> {
        macro_rules! read {
            ($rust:ty) => {
                self.reader.samples::<$rust>().next()?.map(|x| target.copy_from_slice(&x.to_le_bytes()))
            };
        }
        Some(match self.element.scalar {
            ValueType::I8 => read!(i8),
            ValueType::I16 => read!(i16),
            ValueType::I32 => read!(i32),
            _ => read!(f32),
        })
    }

    fn element_to(&mut self, target: &mut [u8]) -> Result<bool, String> {
        if self.left == 0 {
            return Ok(false);
        }
        for sample in target.chunks_exact_mut(self.element.scalar.scalar().bytes()) {
            match self.sample(sample) {
                Some(Ok(())) => {}
                Some(Err(error)) => return Err(error.to_string()),
                None => return Err("the input ends here".to_string()),
            }
        }
        self.left -= 1;
        Ok(true)
    }
}

/// Maps the samples of a file, equal to those of [`WavSource::new`]; `None` if they are not stored as in memory.
pub(super) fn mapped(name: &str, mut file: &File, rank: usize) -> Result<Option<MappedSource>, String> {
    let failed = |error: io::Error| format!("{name}: cannot read: {error}");
    let (spec, samples) = {
        let reader = WavReader::new(&mut file).map_err(|error| format!("{name}: {error}"))?;
        (reader.spec(), reader.len())
    };
    let at = file.stream_position().map_err(failed)?;
    file.rewind().map_err(failed)?;
    let lies = match spec.sample_format {
        SampleFormat::Int => matches!(spec.bits_per_sample, 16 | 32),
        SampleFormat::Float => spec.bits_per_sample == 32,
    };
    if !lies || cfg!(target_endian = "big") {
        return Ok(None);
    }
    let element = element_of(name, spec, rank)?;
    let count = u64::from(samples / u32::from(spec.channels));
    let own = file.try_clone().map_err(failed)?;
    let source = MappedSource::new(name, own, element, at, Some(count)).map_err(failed)?;
    // Files may continue with metadata, such as the artist.
    Ok(source.map(MappedSource::without_rest))
}

/// Returns the type of an element.
fn element_of(name: &str, spec: WavSpec, rank: usize) -> Result<ElementType, String> {
    let scalar = match (spec.sample_format, spec.bits_per_sample) {
        (SampleFormat::Int, 1..=8) => ValueType::I8,
        (SampleFormat::Int, 9..=16) => ValueType::I16,
        (SampleFormat::Int, 17..=32) => ValueType::I32,
        (SampleFormat::Float, 32) => ValueType::F32,
        (_, bits) => return Err(format!("{name}: samples of {bits} bits are not supported")),
    };
    let shape = match (rank, spec.channels) {
        (_, 0) => return Err(format!("{name}: there is no channel")),
        (0, 1) => Shape::new(),
        (0, channels) => return Err(format!("{name}: {channels} channels are no scalars")),
        (1, channels) => Shape::from_slice(&[i64::from(channels)]),
        _ => return Err(format!("{name}: what sounds at one time is a scalar or a vector")),
    };
    Ok(ElementType { scalar, shape })
}

impl Source for WavSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        Some(self.left)
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        one_by_one(count, target, |element| self.element_to(element))
    }
}
