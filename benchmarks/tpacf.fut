-- Two-point angular correlation: how often two objects of the sky are a given angle apart, among the
-- observed ones (DD), between observed and random ones (DR), and among random ones (RR), as in Parboil.
-- ==
-- entry: main
-- random input { [40]f64 [40]f64 [3][40]f64 [3][40]f64 }
-- auto output
-- random input { [101]f64 [101]f64 [2][101]f64 [2][101]f64 }
-- auto output
-- random input { [1]f64 [1]f64 [1][1]f64 [1][1]f64 }
-- auto output
-- input { [0.5f64, 0.9f64] [0.25f64, 0.25f64] empty([0][2]f64) empty([0][2]f64) }
-- output { [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
--           0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0] }
-- "large" notest random input { [10000]f64 [10000]f64 [4][10000]f64 [4][10000]f64 }

-- Five bins for each power of ten, from one arc minute to ten thousand.
def bins : i64 = 20
def bins_per_decade : f64 = 5

type direction = (f64, f64, f64)

def radians (degrees: f64) : f64 = f64.pi / 180 * degrees

def direction (right_ascension: f64) (declination: f64) : direction =
  let (a, d) = (radians right_ascension, radians declination)
  in (f64.cos a * f64.cos d, f64.sin a * f64.cos d, f64.sin d)

def dot ((x1, y1, z1): direction) ((x2, y2, z2): direction) : f64 = x1 * x2 + y1 * y2 + z1 * z2

-- The cosines of the angles where bins begin: they fall.
def bin_edges : [bins + 1]f64 =
  tabulate (bins + 1) (\k -> f64.cos (radians (10 ** (f64.i64 k / bins_per_decade) / 60)))

-- How many edges a cosine lies below: 0 is nearer than the first bin, bins + 1 farther than the last.
def bin [e] (edges: [e]f64) (cosine: f64) : i64 =
  loop b = 0 for k < e do if cosine < edges[k] then b + 1 else b

type counts = [bins + 2]i32

def none () : counts = replicate (bins + 2) 0

def total [n] (counts: [n]counts) : counts = reduce_comm (map2 (+)) (none ()) counts

-- One point with each of the others.
def from [m] (edges: [bins + 1]f64) (others: [m]direction) (point: direction) : counts =
  hist (+) 0 (bins + 2) (map (\other -> bin edges (dot point other)) others) (replicate m 1)

-- Each of one set with each of the other.
def between [n] [m] (edges: [bins + 1]f64) (points: [n]direction) (others: [m]direction) : counts =
  total (map (from edges others) points)

-- Each pair of a set once: each point with those before it.
def among [n] (edges: [bins + 1]f64) (points: [n]direction) : counts =
  total (tabulate n (\i -> from edges (take i points) points[i]))

entry main [d] [r] (xs: [d]f64) (ys: [d]f64) (random_xs: [r][d]f64) (random_ys: [r][d]f64) : []i32 =
  let observed = map2 direction xs ys
  let randoms = map2 (map2 direction) random_xs random_ys
  let dd = among bin_edges observed
  let dr = total (map (between bin_edges observed) randoms)
  let rr = total (map (among bin_edges) randoms)
  in flatten (transpose [dd, dr, rr])[1:bins + 1]
