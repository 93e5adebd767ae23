-- Prices of options on several underlyings by Monte Carlo: Sobol's numbers, made normal, give Brownian
-- paths, each path gives prices under every model, and each contract pays by what prices it saw. After
-- FinPar's OptionPricing, with its three contracts.
-- ==
-- entry: main
-- input { 1i32 1000i32 [[536870912, 268435456, 134217728, 67108864, 33554432, 16777216, 8388608, 4194304,
--   2097152, 1048576]] [[[1.0f32]]] [[[0.19f32]]] [[[-0.02f32]]] [[3900f32]] [[1f32]] [[0.98f32]]
--   [[1], [0], [0]] [[1.0f32], [0f32], [0f32]] }
-- auto output
-- input { 2i32 70i32 [[4, 2, 1], [4, 6, 5], [4, 2, 7], [4, 6, 3], [4, 2, 5], [4, 6, 1], [4, 2, 3], [4, 6, 7],
--   [4, 6, 5], [4, 2, 1], [4, 2, 7], [4, 6, 3], [4, 2, 5], [4, 6, 1], [4, 2, 3]]
--   [[[1f32, 0f32, 0f32], [0.6f32, 0.8f32, 0f32], [0.5f32, 0.3f32, 0.7f32]]]
--   [[[0.1f32, 0.2f32, 0.3f32], [0.1f32, 0.2f32, 0.3f32], [0.1f32, 0.2f32, 0.3f32], [0.1f32, 0.2f32, 0.3f32],
--     [0.1f32, 0.2f32, 0.3f32]]]
--   [[[0.01f32, 0.02f32, 0.03f32], [0.01f32, 0.02f32, 0.03f32], [0.01f32, 0.02f32, 0.03f32], [0.01f32, 0.02f32,
--     0.03f32], [0.01f32, 0.02f32, 0.03f32]]]
--   [[3700f32, 11000f32, 1100f32]] [[1f32]] [[0.98f32, 0.96f32, 0.94f32, 0.92f32, 0.9f32]]
--   [[5, 2, 1, 3, 4], [0, 0, 0, 2, 3], [0, 5, 2, 5, 5]]
--   [[2.2f32, 1.1f32, 0.7f32, 0.8f32, 0.7f32], [0f32, 0.6f32, 0.5f32, 0.67f32, 0.5f32], [0f32, 0.4f32, 0.5f32,
--     0.33f32, 0.5f32]] }
-- auto output

-- Sobol's numbers in the order of Gray's code: number n is made of the direction vectors of n's code's bits.
def sobol [bits] (directions: [bits]i32) (n: i32) : i32 =
  let gray = n ^ (n >> 1)
  in loop number = 0 for bit < bits do
       if (gray >> i32.i64 bit) & 1 == 1 then number ^ directions[bit] else number

-- The inverse of the normal distribution's cumulative function, by the rational functions of Wichura,
-- Algorithm AS 241, Applied Statistics 37 (1988).
def horner (x: f32) (a: f32, b: f32, c: f32, d: f32, e: f32, f: f32, g: f32, h: f32) : f32 =
  ((((((h * x + g) * x + f) * x + e) * x + d) * x + c) * x + b) * x + a

def central (q: f32) : f32 =
  let x = 0.180625 - q * q
  in q * horner x ( 3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125
                  , 45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727 )
       / horner x ( 1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077
                  , 21213.794301586595867, 39307.89580009271061, 28729.085735721942674, 5226.495278852854561 )

def outer (r: f32) : f32 =
  let x = r - 1.6
  in horner x ( 1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504
              , 1.27045825245236838258, 0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4 )
     / horner x ( 1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455
                , 0.14810397642748007459, 0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9 )

def far (r: f32) : f32 =
  let x = r - 5
  in horner x ( 6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123
              , 0.026532189526576123093, 0.0012426609473880784386, 2.71155556874348757815e-5
              , 2.01033439929228813265e-7 )
     / horner x ( 1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525
                , 7.868691311456132591e-4, 1.8463183175100546818e-5, 1.4215117583164458887e-7
                , 2.04426310338993978564e-15 )

def normal (p: f32) : f32 =
  let q = p - 0.5
  in if f32.abs q <= 0.425
     then central q
     else let r = f32.sqrt (-f32.log (0.5 - f32.abs q))
          let x = if r <= 5 then outer r else far r
          in if q < 0 then -x else x

-- Where a path goes: the Brownian bridge fixes one date after another between two fixed before, or after one.
-- The result is by how much the path moves up to each date.
def bridge [dates] (inds: [3][dates]i32) (data: [3][dates]f32) (gauss: i64 -> f32) : [dates]f32 =
  let date i = i64.i32 i - 1
  let start = replicate dates 0 with [date inds[0, 0]] = data[0, 0] * gauss 0
  let path =
    loop path = start for k < dates - 1 do
      let i = k + 1
      let (before, after) = (date inds[1, i], date inds[2, i])
      let moved = data[2, i] * path[after] + data[0, i] * gauss i
      let moved = if before == -1 then moved else moved + data[1, i] * path[before]
      in path with [date inds[0, i]] = moved
  in tabulate dates (\i -> if i == 0 then path[0] else path[i] - path[i - 1])

type model [unds] [dates] =
  {correlation: [unds][unds]f32, volatilities: [dates][unds]f32, drifts: [dates][unds]f32, starts: [unds]f32}

-- Prices at all dates from the independent moves of the underlyings.
def prices [unds] [dates] (model: model [unds] [dates]) (moves: [unds][dates]f32) : [unds][dates]f32 =
  let growth u i =
    let move = loop sum = 0 for k < u + 1 do sum + moves[k, i] * model.correlation[u, k]
    in f32.exp (move * model.volatilities[i, u] + model.drifts[i, u])
  let along u =
    let (series, _) =
      loop (series, price) = (replicate dates 0, model.starts[u]) for i < dates do
        let next = price * growth u i
        in (series with [i] = next, next)
    in series
  in tabulate unds along

-- The least of three prices, each as a share of its basis.
def least (prices: [][]f32) (i: i64) : f32 =
  f32.min (prices[0, i] / 3758.05) (f32.min (prices[1, i] / 11840) (prices[2, i] / 1200))

-- A call on one underlying.
def call (discounts: []f32) (value: f32) (prices: [][]f32) : f32 =
  f32.max 0 ((prices[0, 0] - 4000) * value) * discounts[0]

-- Ends, and pays more the later, at the first of five dates at which all underlyings have reached their basis.
def autocall (discounts: []f32) (prices: [][]f32) : f32 =
  let reached i = least prices i >= 1
  let last = least prices 4
  in if reached 0 then 1150 * discounts[0]
     else if reached 1 then 1300 * discounts[1]
     else if reached 2 then 1450 * discounts[2]
     else if reached 3 then 1600 * discounts[3]
     else (if last >= 1 then 1750 else if last > 0.75 then 1000 else 1000 * last) * discounts[4]

-- Pays 100 at once and, unless an underlying was below its barrier on some day and is below its basis on
-- the last, 1000 in the end.
def barrier (discounts: []f32) (prices: [][]f32) : f32 =
  let below i = prices[0, i] <= 2630.635 || prices[1, i] <= 8288 || prices[2, i] <= 840
  let broken = loop broken = false for i < 367 do broken || below i
  let last = 366
  let under = prices[0, last] < 3758.05 || prices[1, last] < 11840 || prices[2, last] < 1200
  let amount = if broken && under then 1000 * least prices last else 1000
  in 100 * discounts[0] + amount * discounts[1]

def payoff (contract: i32) (discounts: []f32) (value: f32) (prices: [][]f32) : f32 =
  if contract == 1 then call discounts value prices
  else if contract == 2 then autocall discounts prices
  else if contract == 3 then barrier discounts prices
  else 0

-- Paths are made by blocks of so many, a power of two.
def block : i64 = 64

entry main [bits] [models] [unds] [dates] [n]
           (contract: i32) (iterations: i32) (directions: [dates * unds][bits]i32)
           (correlations: [models][unds][unds]f32)
           (volatilities: [models][dates][unds]f32) (drifts: [models][dates][unds]f32)
           (starts: [models][unds]f32) (values: [models][1]f32) (discounts: [models][n]f32)
           (bridge_inds: [3][dates]i32) (bridge_data: [3][dates]f32) : []f32 =
  let paths = i64.i32 iterations
  let directions = unflatten directions
  let scale = 1 / 2 ** f32.i64 bits
  -- Number a ^ b is number a ^ number b: a block's numbers are its first one's and the first block's, combined.
  let first_block = map (map (\ds -> tabulate block (\i -> sobol ds (i32.i64 i)))) directions
  let models = zip3 (map4 (\correlation volatilities drifts starts -> {correlation, volatilities, drifts, starts})
                          correlations volatilities drifts starts)
                    (map head values) discounts
  let pays (own: [dates][unds]i32) i =
    let gauss u d = normal (f32.i32 (own[d, u] ^ first_block[d, u, i]) * scale)
    let moves = tabulate unds (\u -> bridge bridge_inds bridge_data (gauss u))
    in map (\(model, value, discounts) -> payoff contract discounts value (prices model moves)) models
  let of_block b =
    let own = map (map (\ds -> sobol ds (i32.i64 (b * block)))) directions
    -- Path 0 is made but not counted.
    let counts i = let path = b * block + i in path > 0 && path <= paths
    let amounts = tabulate block (\i -> map (\amount -> if counts i then amount else 0) (pays own i))
    in map f32.sum (transpose amounts)
  in tabulate (paths / block + 1) of_block
     |> transpose
     |> map f32.sum
     |> map (/ f32.i32 iterations)
