//! Sound in overlapping windows: the loudness of each frequency band, and the sign changes of the samples, whose number varies
//! over time.

use std::error::Error;
use std::f64::consts::TAU;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use warpwise::{
    Acc, Array, Consumers, Context, Exp, Matrix, Seq, Singleton, Source, SourceOptions, Vector, generate,
    open, unit, use_,
};

use super::random;

/// Number of samples of a window, and distance between the starts of consecutive windows.
pub const SIZE: usize = 1024;
pub const STEP: usize = 256;
/// Number of frequency bands.
const BANDS: usize = 32;
/// Samples per second.
const RATE: u32 = 44_100;

/// The loudness of all bands of all windows; the positions of all sign changes within their windows; and the number of changes of
/// each window.
pub type Found = (Vector<f32>, Vector<i32>, Vector<i64>);
/// The same results within a program.
pub type Processed = (Acc<Vector<f32>>, Acc<Vector<i32>>, Acc<Vector<i64>>);

/// Computes, for every band, the waves that samples are multiplied by, which fade at the ends of the window.
pub fn waves() -> Result<Matrix<(f32, f32)>, warpwise::Error> {
    let wave = |at: usize| {
        let (band, i) = (at / SIZE, (at % SIZE) as f64);
        let fade = 0.5 - 0.5 * (TAU * i / SIZE as f64).cos();
        let frequency = 60.0 * 2_f64.powf(band as f64 / 4.0) / f64::from(RATE);
        let (sin, cos) = (TAU * frequency * i).sin_cos();
        ((fade * cos) as f32, (fade * sin) as f32)
    };
    Array::from_vec([BANDS, SIZE], (0..BANDS * SIZE).map(wave).collect())
}

fn loudness((cos, sin): (Exp<f32>, Exp<f32>)) -> Exp<f32> {
    (cos * cos + sin * sin).sqrt()
}

fn added((x, y): (Exp<f32>, Exp<f32>), (v, w): (Exp<f32>, Exp<f32>)) -> (Exp<f32>, Exp<f32>) {
    (x + v, y + w)
}

fn changes(before: Exp<i16>, after: Exp<i16>) -> Exp<bool> {
    (before ^ after).lt(0)
}

/// Computes the loudness of all bands, and the positions of the sign changes, of one window.
fn processed(
    window: &Acc<Vector<i16>>,
    waves: &Acc<Matrix<(f32, f32)>>,
) -> (Acc<Vector<f32>>, Acc<Vector<i32>>) {
    let (samples, waves) = (window.reader(), waves.reader());
    let products = generate((BANDS as i64, SIZE as i64), move |(band, i)| {
        let (sample, (cos, sin)) = (samples.at(i).cast::<f32>(), waves.at((band, i)));
        (sample * cos, sample * sin)
    });
    let places = generate(SIZE as i64 - 1, move |i: Exp<i64>| {
        (i.cast::<i32>(), changes(samples.at(i), samples.at(i + 1)))
    });
    let crossings = places.filter(|(_, changes)| changes).map(|(i, _)| i);
    (products.fold((0.0, 0.0), added).map(loudness), crossings)
}

/// Processes all windows of a sequence.
pub fn sequence(
    windows: &Seq<Acc<Vector<i16>>>,
    waves: &Matrix<(f32, f32)>,
) -> impl Consumers<Output = Found> + use<> {
    let (bands, crossings, counts) = results(windows, waves);
    (bands.elements(), crossings.elements(), counts.elements())
}

/// Processes all windows of a sequence, and discards the results.
#[allow(dead_code, reason = "the benchmark of sequences measures its memory")]
pub fn passing(
    windows: &Seq<Acc<Vector<i16>>>,
    waves: &Matrix<(f32, f32)>,
) -> impl Consumers<Output = ((), (), ())> + use<> {
    let (bands, crossings, counts) = results(windows, waves);
    (bands.for_each(drop), crossings.for_each(drop), counts.for_each(drop))
}

/// Sequences of the loudness of bands, the sign changes, and their numbers.
type Results = (Seq<Acc<Vector<f32>>>, Seq<Acc<Vector<i32>>>, Seq<Acc<Singleton<i64>>>);

fn results(windows: &Seq<Acc<Vector<i16>>>, waves: &Matrix<(f32, f32)>) -> Results {
    let waves = use_(waves);
    let all = windows.map(|window| processed(&window, &waves));
    let crossings = all.map(|(_, crossings)| crossings);
    let counts = crossings.map(|crossings| unit(crossings.size()));
    (all.map(|(bands, _)| bands), crossings, counts)
}

/// Processes all windows of samples at once.
pub fn whole(samples: &Acc<Vector<i16>>, waves: &Acc<Matrix<(f32, f32)>>) -> Processed {
    let windows = (samples.size() - SIZE as i64) / STEP as i64 + 1;
    let (samples, waves) = (samples.reader(), waves.reader());
    let at = move |window: Exp<i64>, i: Exp<i64>| samples.at(window * STEP as i64 + i);
    let products = generate((windows, BANDS as i64, SIZE as i64), move |(window, band, i)| {
        let (sample, (cos, sin)) = (at(window, i).cast::<f32>(), waves.at((band, i)));
        (sample * cos, sample * sin)
    });
    let places = generate((windows, SIZE as i64 - 1), move |(window, i): (Exp<i64>, Exp<i64>)| {
        (i.cast::<i32>(), changes(at(window, i), at(window, i + 1)))
    });
    let (crossings, counts) = places.filter_counted(|(_, changes)| changes);
    (products.fold((0.0, 0.0), added).map(loudness).flatten(), crossings.map(|(i, _)| i), counts)
}

/// Makes tones that come and go, and noise.
pub fn samples(count: usize) -> Vec<i16> {
    let sample = |i: usize| {
        let time = i as f64 / f64::from(RATE);
        let tone = |frequency: f64, period: f64| (TAU * frequency * time).sin() * (TAU * time / period).sin();
        let noise = random::unit(6, i as u64) - 0.5;
        (9000.0 * (tone(110.0, 1.3) + tone(741.0, 0.7) + tone(3300.0, 2.9)) + 500.0 * noise) as i16
    };
    (0..count).map(sample).collect()
}

/// Writes samples to a folder, as a WAV file.
pub fn store(samples: &[i16], folder: &Path) -> io::Result<()> {
    let mut file = BufWriter::new(File::create(folder.join("sound.wav"))?);
    let bytes = 2 * samples.len() as u32;
    file.write_all(b"RIFF")?;
    file.write_all(&(36 + bytes).to_le_bytes())?;
    file.write_all(b"WAVEfmt ")?;
    file.write_all(&16_u32.to_le_bytes())?;
    let (format, channels, bits) = (1_u16, 1_u16, 16_u16);
    file.write_all(&format.to_le_bytes())?;
    file.write_all(&channels.to_le_bytes())?;
    file.write_all(&RATE.to_le_bytes())?;
    file.write_all(&(2 * RATE).to_le_bytes())?;
    file.write_all(&2_u16.to_le_bytes())?;
    file.write_all(&bits.to_le_bytes())?;
    file.write_all(b"data")?;
    file.write_all(&bytes.to_le_bytes())?;
    for sample in samples {
        file.write_all(&sample.to_le_bytes())?;
    }
    file.flush()
}

/// Opens the samples in a folder.
pub fn sources(folder: &Path) -> Result<Vec<Box<dyn Source>>, warpwise::Error> {
    Ok(vec![open::<i16>(&folder.join("sound.wav"), 0, &SourceOptions::default())?])
}

/// Reads a sequence of windows.
pub fn read(sources: Vec<Box<dyn Source>>) -> Result<Seq<Acc<Vector<i16>>>, warpwise::Error> {
    Seq::read_windows(sources, SIZE, STEP)
}

/// Compares with plain loops.
pub fn check(context: &Context, folder: &Path) -> Result<(), Box<dyn Error>> {
    let samples = samples(SIZE + 5 * STEP + 7);
    store(&samples, folder)?;
    let (vector, waves): (Vector<i16>, _) = (samples.clone().into(), waves()?);
    let all = context
        .compile(|samples: Acc<Vector<i16>>, waves: Acc<Matrix<(f32, f32)>>| whole(&samples, &waves))?;
    let windows: Vec<&[i16]> = samples.windows(SIZE).step_by(STEP).collect();
    let changes = |window: &&[i16]| {
        let places = (0..SIZE - 1).filter(|&i| (window[i] ^ window[i + 1]) < 0);
        places.map(|i| i as i32).collect::<Vec<i32>>()
    };
    let crossings: Vec<Vec<i32>> = windows.iter().map(changes).collect();
    let waves_of = waves.to_vec();
    let band = |window: &[i16], band: usize| {
        let (mut cos, mut sin) = (0.0, 0.0);
        for (sample, wave) in window.iter().zip(&waves_of[band * SIZE..]) {
            cos += f64::from(*sample) * f64::from(wave.0);
            sin += f64::from(*sample) * f64::from(wave.1);
        }
        cos.hypot(sin)
    };
    let bands: Vec<f64> =
        windows.iter().flat_map(|window| (0..BANDS).map(|number| band(window, number))).collect();
    for (found_bands, places, counts) in [
        warpwise::consume(context, sequence(&Seq::windows(&vector, SIZE, STEP), &waves))?,
        warpwise::consume(context, sequence(&read(sources(folder)?)?, &waves))?,
        all.run(&vector, &waves)?,
    ] {
        assert_eq!(places.to_vec(), crossings.concat());
        assert_eq!(counts.to_vec(), crossings.iter().map(|places| places.len() as i64).collect::<Vec<i64>>());
        assert_eq!(found_bands.len(), bands.len());
        let close =
            |(found, expected): (f32, &f64)| (f64::from(found) - expected).abs() < 1e-3 * expected.max(1e4);
        assert!(found_bands.to_vec().into_iter().zip(&bands).all(close));
    }
    Ok(())
}
