-- examples/mexpr/network.mc in the array language: takes what the accelerated expression that trains captures.
def rate : f64 = 0.3

def forward [s] [n] [m] (f: f64 -> f64) (w: [m][n]f64) (b: [m]f64) (x: [s][n]f64) : [s][m]f64 =
  map (\row -> map2 (\weights bias -> f (bias + f64.sum (map2 (*) row weights))) w b) x

def relu (x: f64) : f64 = if x < 0 then 0 else x

-- The loss is that of softmax.
def loss_of [n] (out: [n]f64) (label: i64) : ([n]f64, f64) =
  let m = f64.maximum out
  let total = f64.sum (map (\x -> f64.exp (x - m)) out)
  let delta j x =
    let p = f64.exp (x - m) / total
    in if j == label then p - 1 else p
  in (map2 delta (iota n) out, m + f64.log total - out[label])

def backward [s] [n] [m] (w: [m][n]f64) (above: [s][m]f64) (out: [s][n]f64) : [s][n]f64 =
  let delta d column x = if x > 0 then f64.sum (map2 (*) d column) else 0
  in map2 (\d o -> map2 (delta d) (transpose w) o) above out

def slopes [s] [n] [m] (delta: [s][m]f64) (x: [s][n]f64) : ([m][n]f64, [m]f64) =
  let mean (xs: [s]f64) = f64.sum xs / f64.i64 s
  in (map (\d -> map (\column -> mean (map2 (*) d column)) (transpose x)) (transpose delta), map mean (transpose delta))

def descend [n] [m] (w: [m][n]f64) (b: [m]f64) (dw: [m][n]f64) (db: [m]f64) : ([m][n]f64, [m]f64) =
  (map2 (map2 (\w d -> w - rate * d)) w dw, map2 (\b d -> b - rate * d) b db)

entry main [images] [n0] [n1] [n2] [n3] [s]
    (inputs: [images][n0]f64) (labels: [images]i64)
    (w1: [n1][n0]f64) (b1: [n1]f64) (dw1: [n1][n0]f64) (db1: [n1]f64) (out1: [s][n1]f64) (delta1: [s][n1]f64)
    (w2: [n2][n1]f64) (b2: [n2]f64) (dw2: [n2][n1]f64) (db2: [n2]f64) (out2: [s][n2]f64) (delta2: [s][n2]f64)
    (w3: [n3][n2]f64) (b3: [n3]f64) (dw3: [n3][n2]f64) (db3: [n3]f64) (out3: [s][n3]f64) (delta3: [s][n3]f64)
    (losses: [s]f64) (epochs: i64) (batch: i64) (batches: i64) =
  let state = ((w1, b1, dw1, db1, out1, delta1), (w2, b2, dw2, db2, out2, delta2), (w3, b3, dw3, db3, out3, delta3), losses)
  let learn ((w1, b1, _, _, _, _), (w2, b2, _, _, _, _), (w3, b3, _, _, _, _), _) (first: i64) =
    let x = map (\i -> inputs[first + i]) (iota s)
    let out1 = forward relu w1 b1 x
    let out2 = forward relu w2 b2 out1
    let out3 = forward id w3 b3 out2
    let (delta3, losses) = unzip (map2 (\i out -> loss_of out labels[first + i]) (iota s) out3)
    let delta2 = backward w3 delta3 out2
    let delta1 = backward w2 delta2 out1
    let (dw3, db3) = slopes delta3 out2
    let (dw2, db2) = slopes delta2 out1
    let (dw1, db1) = slopes delta1 x
    let (w1, b1) = descend w1 b1 dw1 db1
    let (w2, b2) = descend w2 b2 dw2 db2
    let (w3, b3) = descend w3 b3 dw3 db3
    in ((w1, b1, dw1, db1, out1, delta1), (w2, b2, dw2, db2, out2, delta2), (w3, b3, dw3, db3, out3, delta3), losses)
  let (((w1, b1, dw1, db1, out1, delta1), (w2, b2, dw2, db2, out2, delta2), (w3, b3, dw3, db3, out3, delta3), losses), means) =
    loop (state, means) = (state, replicate epochs 0) for e < epochs do
      let (state, total) =
        loop (state, total) = (state, 0) for b < batches do
          let state = learn state (b * batch)
          in (state, total + f64.sum (map (/ f64.i64 s) state.3))
      in (state, means with [e] = total / f64.i64 batches)
  -- What is printed: a float, then a text of one character.
  let log = flatten (map (\mean -> [1, mean, 0, 1, 10]) means)
  in (w1, b1, dw1, db1, out1, delta1, w2, b2, dw2, db2, out2, delta2, w3, b3, dw3, db3, out3, delta3, losses, log)
