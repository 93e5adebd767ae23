-- One step of training a neural network with a hidden layer of sixteen units, as in Rodinia.
-- ==
-- entry: main
-- input { 5i32 [536870912, 268435456, 134217728, 67108864, 33554432, 16777216, 8388608, 4194304, 2097152,
--   1048576, 524288, 262144, 131072, 65536, 32768, 16384, 8192, 4096, 2048, 1024, 512, 256, 128, 64, 32, 16,
--   8, 4, 2, 1] }
-- auto output
-- input { 1i32 [536870912, 268435456] }
-- auto output

-- ==
-- entry: train_random
-- random input { [1000]f32 [1001][16]f32 [17][1]f32 }
-- auto output
-- "large" notest random input { [1048576]f32 [1048577][16]f32 [17][1]f32 }

def hidden_units : i64 = 16
def output_units : i64 = 1
def learning_rate : f32 = 0.3
def momentum : f32 = 0.3
def target : f32 = 0.1

def squash (x: f32) : f32 = 1 / (1 + f32.exp (-x))

-- The rows of weights but that of the bias.
def but_bias [n] [m] (weights: [n + 1][m]f32) : [n][m]f32 = tail weights :> [n][m]f32

-- Each unit's weighted sum of the layer before; row 0 of the weights is the bias.
def forward [n] [m] (layer: [n]f32) (weights: [n + 1][m]f32) : [m]f32 =
  let dot column = f32.sum (map2 (*) column layer)
  in map2 (\bias column -> squash (bias + dot column)) weights[0] (transpose (but_bias weights))

def output_errors [m] (outputs: [m]f32) : [m]f32 =
  map (\o -> o * (1 - o) * (target - o)) outputs

def hidden_errors [n] [m] (errors: [m]f32) (weights: [n + 1][m]f32) (hidden: [n]f32) : [n]f32 =
  map2 (\h row -> h * (1 - h) * f32.sum (map2 (*) errors row)) hidden (tail weights :> [n][m]f32)

def total [n] (errors: [n]f32) : f32 = f32.sum (map f32.abs errors)

-- New weights; the last change, of which `momentum` would be kept, is `changes`.
def adjust [n] [m] (errors: [m]f32) (layer: [n]f32) (weights: [n + 1][m]f32) (changes: [n + 1][m]f32)
  : [n + 1][m]f32 =
  let adjust_row unit = map3 (\error w change -> w + (learning_rate * error * unit + momentum * change)) errors
  in map3 adjust_row ([1] ++ layer :> [n + 1]f32) weights changes

def train [n] [h] [o] (inputs: [n]f32) (input_weights: [n + 1][h]f32) (hidden_weights: [h + 1][o]f32)
  : (f32, f32, [n + 1][h]f32, [h + 1][o]f32) =
  let hidden = forward inputs input_weights
  let outputs = forward hidden hidden_weights
  let errors_out = output_errors outputs
  let errors_hidden = hidden_errors errors_out hidden_weights hidden
  let unchanged n m = replicate n (replicate m 0)
  in ( total errors_out
     , total errors_hidden
     , adjust errors_hidden inputs input_weights (unchanged (n + 1) h)
     , adjust errors_out hidden hidden_weights (unchanged (h + 1) o)
     )

-- Element n of a Sobol sequence, between 0 and 1.
def sobol [bits] (directions: [bits]i32) (n: i32) : f32 =
  let gray = n ^ (n >> 1)
  let number = loop number = 0 for bit < bits do
                 if (gray >> i32.i64 bit) & 1 == 1 then number ^ directions[bit] else number
  in f32.i32 number * (1 / (f32.i64 (1 << bits) + 1))

-- Weights that look random: `m + 1` numbers for each row, of which the first stays apart.
def random_weights [bits] (directions: [bits]i32) (offset: i32) (n: i64) (m: i64) : [n][m + 1]f32 =
  tabulate_2d n (m + 1) (\i j -> sobol directions (offset + i32.i64 (i * (m + 1) + j)))

def but_first [n] [m] (rows: [n][m + 1]f32) : [n][m]f32 = map (\row -> tail row :> [m]f32) rows

def with_first [n] [m] (rows: [n][m + 1]f32) (rest: [n][m]f32) : [n][m + 1]f32 =
  map2 (\row new -> [row[0]] ++ new :> [m + 1]f32) rows rest

entry main [bits] (n_in: i32) (directions: [bits]i32) : (f32, f32, [][]f32, [][]f32) =
  let n = i64.i32 n_in
  let input_weights = random_weights directions 1 (n + 1) hidden_units
  let next = 1 + (n_in + 1) * i32.i64 (hidden_units + 1)
  let hidden_weights = random_weights directions next (hidden_units + 1) output_units
  let next = next + i32.i64 ((hidden_units + 1) * (output_units + 1))
  let inputs = tabulate n (\i -> sobol directions (next + 1 + i32.i64 i))
  let (error_out, error_hidden, input_weights', hidden_weights') =
    train inputs (but_first input_weights) (but_first hidden_weights)
  in (error_out, error_hidden, with_first input_weights input_weights', with_first hidden_weights hidden_weights')

entry train_random [n] [h] [o] (inputs: [n]f32) (input_weights: [n + 1][h]f32) (hidden_weights: [h + 1][o]f32)
  : (f32, f32, [n + 1][h]f32, [h + 1][o]f32) =
  train inputs input_weights hidden_weights
