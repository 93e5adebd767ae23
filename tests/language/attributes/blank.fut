-- `#[blank] e` is zeros of the type and sizes of `e`; nothing else of `e` is computed or fails.
-- ==
-- input { 0i64 [4i64, 5i64] }
-- output { 2i64 [0i64, 0i64] 3i64 1i64 [5i64, 4i64] }
-- input { 7i64 [6i64] }
-- output { 1i64 [0i64] 3i64 1i64 [6i64] }
-- input { 1i64 empty([0]i64) }
-- output { 0i64 empty([0]i64) 3i64 1i64 empty([0]i64) }
type shape = #square f32 | #row [3]f32

def missing (n: i64) : i64 = #[blank] (iota 0)[n]

def main [n] (k: i64) (xs: [n]i64) =
  let quotients = #[blank] map (10 / ) (map (\x -> x / (0 * k)) xs)
  let pair = #[blank] (assert false k, replicate 3 xs[k - 100])
  let shape: shape = #[blank] (if xs[-1] == 0 then #square 1 else #row [1, 2, 3])
  let known = match shape case #square _ -> 1 case #row _ -> 1
  in (length quotients,
      quotients,
      length pair.1,
      known + missing (k + pair.0),
      scatter (#[blank] map (\x -> x // 0) xs) (reverse (iota n)) xs)
