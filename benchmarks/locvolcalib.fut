-- Local volatility: what options with different strikes are worth, by solving the stochastic volatility
-- model's differential equation backwards in time on a grid of prices (x) and log-volatilities (y), by
-- Crank and Nicolson's method with alternating directions, as in FinPar's LocVolCalib.
-- ==
-- entry: main
-- input { 3i32 16i32 8i32 5i32 0.03f32 5.0f32 0.2f32 0.6f32 0.5f32 }
-- auto output
-- input { 20i32 33i32 40i32 4i32 0.03f32 5.0f32 0.2f32 0.6f32 0.5f32 }
-- auto output
-- input { 0i32 16i32 8i32 5i32 0.03f32 5.0f32 0.2f32 0.6f32 0.5f32 }
-- output { empty([0]f32) }
-- "small" notest input { 16i32 32i32 256i32 256i32 0.03f32 5.0f32 0.2f32 0.6f32 0.5f32 }
-- "medium" notest input { 128i32 256i32 32i32 64i32 0.03f32 5.0f32 0.2f32 0.6f32 0.5f32 }
-- "large" notest input { 256i32 256i32 256i32 64i32 0.03f32 5.0f32 0.2f32 0.6f32 0.5f32 }

-- Weights of the points before, here and after in a sum.
type weights = {before: f32, here: f32, after: f32}

-- The second derivative of values on a grid; 0 at both ends.
def second_derivative [n] (grid: [n]f32) : [n]weights =
  tabulate n (\i ->
    if i == 0 || i == n - 1
    then {before = 0, here = 0, after = 0}
    else let (l, u) = (grid[i] - grid[i - 1], grid[i + 1] - grid[i])
         in { before = 2 / l / (l + u)
            , here = -2 * (1 / l + 1 / u) / (l + u)
            , after = 2 / u / (l + u)
            })

-- The weights are 0 where there is no point before or after.
def at [n] (row: i64 -> f32) (ws: [n]weights) (i: i64) : f32 =
  ws[i].before * row (i64.max 0 (i - 1)) + ws[i].here * row i + ws[i].after * row (i64.min (n - 1) (i + 1))

-- A tridiagonal system after elimination: what was taken of each row from the next one, the diagonal, and above.
type system [n] = {factors: [n]f32, pivots: [n]f32, upper: [n]f32}

-- The system of an implicit half step along a line with these variances at its points.
def eliminated [n] (rate: f32) (ws: [n]weights) (variance: i64 -> f32) : system [n] =
  let part i w = -0.25 * variance i * w
  let upper = tabulate n (\i -> part i ws[i].after)
  let start = replicate n (rate + part 0 ws[0].here)
  let (factors, pivots) =
    loop (factors, pivots) = (replicate n 0, start) for k < n - 1 do
      let i = k + 1
      let factor = part i ws[i].before / pivots[i - 1]
      in (factors with [i] = factor, pivots with [i] = rate + part i ws[i].here - factor * upper[i - 1])
  in {factors, pivots, upper}

def solve [n] (system: system [n]) (right: [n]f32) : [n]f32 =
  let us = loop us = copy right for k < n - 1 do
             let i = k + 1
             in us with [i] = us[i] - system.factors[i] * us[i - 1]
  let us[n - 1] = us[n - 1] / system.pivots[n - 1]
  in loop us for k < n - 1 do
       let i = n - 2 - k
       in us with [i] = (us[i] - system.upper[i] * us[i + 1]) / system.pivots[i]

type grid [nx] [ny] = {xs: [nx]f32, ys: [ny]f32, x0: i64, y0: i64}

-- The prices and log-volatilities around those of today, which are xs[x0] and ys[y0].
def grid_around (nx: i64) (ny: i64) (s0: f32) (alpha: f32) (nu: f32) (time: f32) : grid [nx] [ny] =
  let dx = 20 * alpha * s0 * f32.sqrt time / f32.i64 nx
  let dy = 10 * nu * f32.sqrt time / f32.i64 ny
  let (x0, y0) = (i64.f32 (s0 / dx), ny / 2)
  in { xs = tabulate nx (\i -> f32.i64 i * dx - f32.i64 x0 * dx + s0)
     , ys = tabulate ny (\i -> f32.i64 i * dy - f32.i64 y0 * dy + f32.log alpha)
     , x0
     , y0
     }

entry main (outer: i32) (num_x: i32) (num_y: i32) (num_t: i32)
           (s0: f32) (time: f32) (alpha: f32) (nu: f32) (beta: f32) : []f32 =
  let (nx, ny, nt) = (i64.i32 num_x, i64.i32 num_y, i64.i32 num_t)
  let {xs, ys, x0, y0} = grid_around nx ny s0 alpha nu time
  let (wx, wy) = (second_derivative xs, second_derivative ys)
  -- The variance of a price x at log-volatility y and time t is x^(2 beta) * exp (2 y - nu^2 t).
  let by_x = map (\x -> f32.exp (2 * beta * f32.log x)) xs
  let by_y = map (\y -> f32.exp (2 * y)) ys
  let time_of i = time * f32.i64 i / (f32.i64 nt - 1)
  let step (values: [ny][nx]f32) (now: f32) (next: f32) : [ny][nx]f32 =
    let rate = 1 / (next - now)
    let by_t = f32.exp (-(nu * nu * now))
    let variance j i = by_t * by_y[j] * by_x[i]
    let along_y = tabulate_2d ny nx (\j i -> 0.5 * nu * nu * at (\j -> values[j, i]) wy j)
    let right =
      tabulate_2d ny nx (\j i ->
        rate * values[j, i] + 0.25 * variance j i * at (\i -> values[j, i]) wx i + along_y[j, i])
    let half = map2 (\j row -> solve (eliminated rate wx (variance j)) row) (iota ny) right
    let right = map2 (map2 (\u v -> rate * u - 0.5 * v)) half along_y
    -- Along y all systems are the same.
    let system = eliminated rate wy (\_ -> nu * nu)
    in transpose (map (solve system) (transpose right))
  let value i =
    let strike = 0.001 * f32.i64 i
    let payoff = replicate ny (map (\x -> f32.max 0 (x - strike)) xs)
    let today = loop values = payoff for k < nt - 1 do
                  step values (time_of (nt - 2 - k)) (time_of (nt - 1 - k))
    in today[y0, x0]
  in tabulate (i64.i32 outer) value
