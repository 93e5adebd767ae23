-- A recursive higher-order function is specialised for each function that it is given, whatever this one captures.
-- ==
-- entry: numbers
-- input { 4i64 2i64 }
-- output { 10i64 32i64 }
-- input { 0i64 2i64 }
-- output { 2i64 2i64 }

-- ==
-- entry: arrays
-- input { 3i64 [1, 2] }
-- output { [8, 16] }
-- input { 0i64 empty([0]i32) }
-- output { empty([0]i32) }
def repeat (n: i64) (f: i64 -> i64) (x: i64) : i64 =
  if n == 0 then x else repeat (n - 1) f (f x)

entry numbers (n: i64) (x: i64) =
  (repeat n (+ x) x, repeat n (\y -> y * 2) x)

def apply [k] (n: i64) (f: [k]i32 -> [k]i32) (xs: [k]i32) : [k]i32 =
  if n == 0 then copy xs else apply (n - 1) f (f xs)

entry arrays [k] (n: i64) (xs: [k]i32) = apply n (\ys -> map2 (+) ys (map2 (*) ys (map (\_ -> 1) xs))) xs
