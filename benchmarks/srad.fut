-- Speckle-reducing anisotropic diffusion: an ultrasound picture is smoothed where it varies like speckle
-- and kept where it has edges. After Yu and Acton, IEEE Transactions on Image Processing 11 (2002), with the
-- constants of Rodinia's srad_v1.
-- ==
-- entry: main
-- random input { [20][37]u8 }
-- auto output
-- random input { [3][1]u8 }
-- auto output
-- "large" notest random input { [502][458]u8 }

-- ==
-- entry: smooth
-- random input { [33][70]f32 }
-- auto output
-- "large" notest random input { [1000][1000]f32 }

def steps : i32 = 100
def rate : f32 = 0.5

-- The differences of a cell to its four neighbours; nothing flows over the border.
def differences [r] [c] (image: [r][c]f32) (i: i64) (j: i64) : (f32, f32, f32, f32) =
  let here = image[i, j]
  in ( image[i64.max 0 (i - 1), j] - here
     , image[i64.min (r - 1) (i + 1), j] - here
     , image[i, i64.max 0 (j - 1)] - here
     , image[i, i64.min (c - 1) (j + 1)] - here
     )

-- How freely a cell exchanges with others: 1 where the picture varies as speckle of the variation
-- `speckle` does, down to 0 at edges.
def conductance (speckle: f32) (here: f32) (north: f32, south: f32, west: f32, east: f32) : f32 =
  let gradient2 = (north * north + south * south + west * west + east * east) / (here * here)
  let laplacian = (north + south + west + east) / here
  let numerator = 0.5 * gradient2 - laplacian * laplacian / 16
  let denominator = 1 + 0.25 * laplacian
  let variation = numerator / (denominator * denominator)
  let excess = (variation - speckle) / (speckle * (1 + speckle))
  in f32.max 0 (f32.min 1 (1 / (1 + excess)))

type sums = (f32, f32)

-- The sum of numbers, and that of their squares.
def sums [n] (numbers: [n]f32) : sums =
  reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (map (\x -> (x, x * x)) numbers)

-- Rows, and the sums of all of them.
def with_sums [r] [c] (rows: [r]([c]f32, sums)) : ([r][c]f32, sums) =
  let (rows, each) = unzip rows
  in (rows, reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) each)

def step [r] [c] (image: [r][c]f32, (sum, squares): sums) : ([r][c]f32, sums) =
  let cells = f32.i64 (r * c)
  let mean = sum / cells
  let speckle = (squares / cells - mean * mean) / (mean * mean)
  let conductances =
    tabulate_2d r c (\i j -> conductance speckle image[i, j] (differences image i j))
  let next i j =
    let (north, south, west, east) = differences image i j
    let here = conductances[i, j]
    let below = conductances[i64.min (r - 1) (i + 1), j]
    let right = conductances[i, i64.min (c - 1) (j + 1)]
    in image[i, j] + 0.25 * rate * (here * north + below * south + here * west + right * east)
  let row i = let cells = tabulate c (next i) in (cells, sums cells)
  in with_sums (tabulate r row)

-- Smooths what is between 0 and 1; the result is 255 times as large.
entry smooth [r] [c] (numbers: [r][c]f32) : [r][c]f32 =
  let first row = let cells = map f32.exp row in (cells, sums cells)
  let (image, _) = loop state = with_sums (map first numbers) for _i < steps do step state
  in map (map (\x -> f32.log x * 255)) image

entry main [r] [c] (picture: [r][c]u8) : [r][c]f32 =
  smooth (map (map (\pixel -> f32.u8 pixel / 255)) picture)
