//! The measured programs, each as a whole-array program and as a stream.

use warpwise_driver::build::build;
use warpwise_driver::{Context, Options, Program};

/// A measured program.
#[derive(Clone, Copy)]
pub struct Streamed {
    /// Its name in tables.
    pub name: &'static str,
    /// Source, with the entry points `whole`, and `chunk` or `init`, `step` and `merge`.
    source: &'static str,
    /// Number of numbers in an element.
    pub width: u64,
    /// Whether the program is a fold rather than a map.
    pub folds: bool,
    /// Maximum relative difference between the two: sums of floats are combined in different orders.
    pub tolerance: f64,
}

/// All programs. Elements are numbers between 0 and 1.
pub const PROGRAMS: [Streamed; 4] = [
    Streamed {
        name: "map",
        source: "
def f (x: f32) = f32.sin (x * 10) * f32.exp (-x) + f32.sqrt x
entry whole [n] (xs: [n]f32) : [n]f32 = map f xs
entry chunk [n] (xs: [n]f32) : [n]f32 = map f xs
",
        width: 1,
        folds: false,
        tolerance: 0.0,
    },
    Streamed {
        name: "mean",
        source: "
def f (x: f32) = f64.f32 (f32.log (1 + x) * f32.cos x)
entry whole [n] (xs: [n]f32) : f64 = f64.sum (map f xs)
entry init : f64 = 0
entry step [n] (xs: [n]f32) (s: f64) : f64 = s + f64.sum (map f xs)
entry merge (s: f64) (t: f64) : f64 = s + t
",
        width: 1,
        folds: true,
        tolerance: 1e-9,
    },
    Streamed {
        name: "histogram",
        source: "
def bins [n] (xs: [n]f32) : [256]i64 =
  hist (+) 0 256 (map (\\x -> i64.min 255 (i64.f32 (x * 256))) xs) (replicate n 1)
entry whole [n] (xs: [n]f32) : [256]i64 = bins xs
entry init : [256]i64 = replicate 256 0
entry step [n] (xs: [n]f32) (s: [256]i64) : [256]i64 = map2 (+) s (bins xs)
entry merge (s: [256]i64) (t: [256]i64) : [256]i64 = map2 (+) s t
",
        width: 1,
        folds: true,
        tolerance: 0.0,
    },
    Streamed {
        name: "k-means",
        source: "
def centres : [16][4]f32 =
  tabulate_2d 16 4 (\\i j -> f32.i64 ((i * 7 + j * 5) % 16) / 16)
def nearest (p: [4]f32) : i64 =
  let distance i = f32.sum (map2 (\\a b -> (a - b) * (a - b)) centres[i] p)
  in (loop (best, least) = (0, distance 0) for i in 1..<16 do
        let d = distance i in if d < least then (i, d) else (best, least)).0
def sums [n] (ps: [n][4]f32) : ([16][4]f64, [16]i64) =
  let is = map nearest ps
  let column j = hist (+) 0 16 is (map (\\p -> f64.f32 p[j]) ps)
  in (transpose (map column (iota 4)), hist (+) 0 16 is (replicate n 1))
entry whole [n] (ps: [n][4]f32) : ([16][4]f64, [16]i64) = sums ps
entry init : ([16][4]f64, [16]i64) = (replicate 16 (replicate 4 0), replicate 16 0)
entry step [n] (ps: [n][4]f32) (s: [16][4]f64) (c: [16]i64) : ([16][4]f64, [16]i64) =
  let (t, d) = sums ps in (map2 (map2 (+)) s t, map2 (+) c d)
entry merge (s: [16][4]f64) (c: [16]i64) (t: [16][4]f64) (d: [16]i64) : ([16][4]f64, [16]i64) =
  (map2 (map2 (+)) s t, map2 (+) c d)
",
        width: 4,
        folds: true,
        tolerance: 1e-9,
    },
];

impl Streamed {
    /// Returns the program of this name.
    pub fn named(name: &str) -> Option<Streamed> {
        PROGRAMS.into_iter().find(|program| program.name == name)
    }

    /// Compiles the program.
    pub fn load(&self, context: &Context) -> Result<Program, String> {
        let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
        let path = folder.path().join("p.fut");
        std::fs::write(&path, self.source).map_err(|error| error.to_string())?;
        let built = build(&path, &Options::default(), None).map_err(|error| error.to_string())?;
        built.compiled.load(context).map_err(|error| error.to_string())
    }

    /// Returns the shape of an element.
    pub fn shape(&self) -> Vec<i64> {
        if self.width == 1 { Vec::new() } else { vec![self.width as i64] }
    }
}
