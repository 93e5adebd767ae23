-- Every parallel operation on nothing, on one element, and on segments all or some of which are empty.

-- ==
-- entry: flat
-- input { empty([0]i32) } output { 0i32 -2147483648i32 empty([0]i32) empty([0]i32) [0i64, 0i64] 0i64 }
-- input { [7i32] } output { 7i32 7i32 [7i32] [7i32] [0i64, 1i64] 1i64 }
entry flat [n] (xs: [n]i32) : (i32, i32, []i32, []i32, []i64, i64) =
  let kept = filter (> 3) xs
  in (i32.sum xs, i32.maximum xs, scan (+) 0 xs, kept,
      hist (+) 0 2 (map (\x -> i64.i32 (x % 2)) xs) (map (const 1) xs), length kept)

-- ==
-- entry: rows
-- input { empty([0][0]i64) } output { empty([0]i64) empty([0][0]i64) empty([0][3]i64) }
-- input { empty([0][5]i64) } output { empty([0]i64) empty([0][5]i64) empty([0][3]i64) }
-- input { empty([4][0]i64) } output { [0i64, 0i64, 0i64, 0i64] empty([4][0]i64) [[0i64, 0i64, 0i64], [0i64, 0i64, 0i64], [0i64, 0i64, 0i64], [0i64, 0i64, 0i64]] }
-- input { [[5i64]] } output { [5i64] [[5i64]] [[0i64, 0i64, 1i64]] }
entry rows [n] [m] (xss: [n][m]i64) : ([n]i64, [n][m]i64, [n][3]i64) =
  (map i64.sum xss, map (scan (+) 0) xss, map (\xs -> hist (+) 0 3 (map (% 3) xs) (map (const 1) xs)) xss)

-- ==
-- entry: ragged
-- input { empty([0]i64) } output { empty([0]i64) empty([0]i64) 0i64 }
-- input { [0i64] } output { [0i64] empty([0]i64) 0i64 }
-- input { [0i64, 0i64, 0i64] } output { [0i64, 0i64, 0i64] empty([0]i64) 0i64 }
-- input { [1i64] } output { [0i64] [0i64] 1i64 }
-- input { [0i64, 3i64, 0i64, 1i64, 0i64] } output { [0i64, 5i64, 0i64, 0i64, 0i64] [0i64, 1i64, 2i64, 0i64] 4i64 }
entry ragged [n] (sizes: [n]i64) : ([n]i64, []i64, i64) =
  let (_, _, _, joined) = flatmap' iota sizes
  in (map (\k -> i64.sum (map (\i -> i * i) (iota k))) sizes, joined, length joined)

-- ==
-- entry: segments
-- input { empty([0]i64) empty([0]i64) empty([0]i64) } output { empty([0]i64) }
-- input { [0i64, 0i64] [0i64, 0i64] empty([0]i64) } output { [0i64, 0i64] }
-- input { [0i64, 2i64, 2i64] [2i64, 0i64, 1i64] [10i64, 20i64, 30i64] } output { [30i64, 0i64, 30i64] }
-- input { [0i64, 2i64] [2i64, 2i64] [10i64, 20i64, 30i64] } error: out of bounds
-- input { [0i64, 1i64] [1i64, -1i64] [10i64, 20i64, 30i64] } error: bounds
entry segments [n] (starts: [n]i64) (sizes: [n]i64) (values: []i64) : [n]i64 =
  map2 (\start size -> i64.sum values[start:start + size]) starts sizes

-- ==
-- entry: wide
-- input { empty([0]f64) } output { [0f64, 0f64] }
-- input { [1f64] } output { [1f64, 1f64] }
-- input { [3f64, -1f64, 2f64] } output { [4f64, -1f64] }
entry wide (xs: []f64) : [2]f64 =
  let add (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r)
          (a', b', c', d', e', f', g', h', i', j', k', l', m', n', o', p', q', r') : (f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64, f64) =
    (a + a', b + b', c + c', d + d', e + e', f + f', g + g', h + h', i + i', j + j', k + k', l + l', m + m', n + n',
     o + o', p + p', q + q', f64.min r r')
  let zero = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, f64.inf)
  let spread x = (x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)
  let (a, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, _, r) = reduce add zero (map spread xs)
  in [a, if r == f64.inf then 0 else r]

-- ==
-- entry: bins
-- input { empty([0]i64) empty([0]i32) 0i64 } output { empty([0]i32) empty([0]i32) empty([0]i64) }
-- input { [0i64] [5i32] 0i64 } output { empty([0]i32) empty([0]i32) empty([0]i64) }
-- input { [0i64] [5i32] 1i64 } output { [5i32] [5i32] [0i64] }
-- input { [1i64, 1i64, -1i64, 9i64, 0i64] [5i32, 6i32, 1i32, 1i32, 2i32] 3i64 } output { [2i32, 11i32, 0i32] [2i32, 6i32, -2147483648i32] [4i64, 1i64, -1i64] }
entry bins [n] (is: [n]i64) (xs: [n]i32) (k: i64) : ([k]i32, [k]i32, [k]i64) =
  let greater (x, i) (y, j) = if x > y || (x == y && i < j) then (x, i) else if x < y || j < i then (y, j) else (x, i)
  let at = hist greater (i32.lowest, -1i64) k is (zip xs (iota n))
  in (hist (+) 0 k is xs, hist i32.max i32.lowest k is xs, map (.1) at)

-- ==
-- entry: narrow
-- input { empty([0]i8) } output { [0i8, 0i8, 0i8] [false, false, false] }
-- input { [1i8, 4i8, 127i8, 2i8, 3i8] } output { [3i8, -124i8, 2i8] [true, true, true] }
entry narrow [n] (xs: [n]i8) : ([3]i8, [3]bool) =
  let is = map (\x -> i64.i8 (x %% 3)) xs
  in (hist (+) 0 3 is xs, hist (||) false 3 is (map (> 0) xs))
