-- Particles in boxes that push one another, each by those in its own box and in the neighbouring ones, as in
-- Rodinia's lavaMD.
-- ==
-- entry: main
-- input { 0.5f32 [0, 1] [0, 0] [0, 0] [0, 1] [[1, 0]] [[0, 0]] [[0, 0]] [[1, 0]] [1, 1]
--   [[0.5f32, 0.25f32, 1.0f32], [0.125f32, 0.75f32, 0.5f32]] [[0.5f32, 0.5f32, 0.75f32], [1.5f32, 1.25f32, 1f32]]
--   [[0.1f32, 0.2f32, 0.3f32], [0.4f32, 0.5f32, 0.6f32]] [[0.7f32, 0.8f32, 0.9f32], [0.3f32, 0.2f32, 0.1f32]]
--   [[1f32, 0.5f32, 0.25f32], [0.5f32, 1f32, 2f32]] }
-- auto output
-- input { 0.5f32 [0] [0] [0] [0] empty([0][1]i32) empty([0][1]i32) empty([0][1]i32) empty([0][1]i32) [0]
--   [[0.5f32]] [[0.5f32]] [[0.1f32]] [[0.7f32]] [[2f32]] }
-- auto output

-- ==
-- entry: line
-- random input { [7][33]f32 [7][33]f32 [7][33]f32 [7][33]f32 [7][33]f32 }
-- auto output
-- random input { [1][1]f32 [1][1]f32 [1][1]f32 [1][1]f32 [1][1]f32 }
-- auto output
-- "large" notest random input { [1000][100]f32 [1000][100]f32 [1000][100]f32 [1000][100]f32 [1000][100]f32 }

-- A potential or half a squared length `v`, and a place or force.
type quad = (f32, f32, f32, f32)

def add ((v1, x1, y1, z1): quad) ((v2, x2, y2, z2): quad) : quad = (v1 + v2, x1 + x2, y1 + y2, z1 + z2)

-- What a particle of charge `q` does to another one.
def push (a2: f32) ((v1, x1, y1, z1): quad) ((v2, x2, y2, z2): quad) (q: f32) : quad =
  let distance2 = v1 + v2 - (x1 * x2 + y1 * y2 + z1 * z2)
  let potential = f32.exp (-(a2 * distance2))
  let strength = 2 * potential
  in (q * potential, q * (strength * (x1 - x2)), q * (strength * (y1 - y2)), q * (strength * (z1 - z2)))

-- `source b k` is the k-th of the `sources` boxes that act on box b; it acts on itself first.
def forces [boxes] [p] (alpha: f32) (counts: [boxes]i32) (source: i64 -> i32 -> i64)
                       (places: [boxes][p]quad) (charges: [boxes][p]f32) : [boxes][p]quad =
  let a2 = 2 * alpha * alpha
  let on b particle =
    loop sum = (0, 0, 0, 0) for k < counts[b] + 1 do
      let other = if k == 0 then b else source b (k - 1)
      in add sum (reduce_comm add (0, 0, 0, 0) (map2 (push a2 particle) places[other] charges[other]))
  in map2 (\b own -> map (on b) own) (iota boxes) places

entry main [boxes] [p] [n]
           (alpha: f32)
           (_xs: [boxes]i32) (_ys: [boxes]i32) (_zs: [boxes]i32) (numbers: [boxes]i32)
           (_neighbour_xs: [n][boxes]i32) (_neighbour_ys: [n][boxes]i32) (_neighbour_zs: [n][boxes]i32)
           (neighbours: [n][boxes]i32) (counts: [boxes]i32)
           (vs: [boxes][p]f32) (xs: [boxes][p]f32) (ys: [boxes][p]f32) (zs: [boxes][p]f32) (qs: [boxes][p]f32)
         : ([boxes][p]f32, [boxes][p]f32, [boxes][p]f32, [boxes][p]f32) =
  let source b k = i64.i32 numbers[neighbours[k, b]]
  in unzip4 (map unzip4 (forces alpha counts source (map4 zip4 vs xs ys zs) qs))

-- Boxes in a line, whose neighbours are the one before and the one after.
entry line [boxes] [p] (vs: [boxes][p]f32) (xs: [boxes][p]f32) (ys: [boxes][p]f32) (zs: [boxes][p]f32)
                       (qs: [boxes][p]f32)
                     : ([boxes][p]f32, [boxes][p]f32, [boxes][p]f32, [boxes][p]f32) =
  let counts = tabulate boxes (\b -> i32.bool (b > 0) + i32.bool (b < boxes - 1))
  let source b (k: i32) = if k == 0 && b > 0 then b - 1 else b + 1
  in unzip4 (map unzip4 (forces 0.5 counts source (map4 zip4 vs xs ys zs) qs))
