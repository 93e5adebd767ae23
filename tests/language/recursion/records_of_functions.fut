-- Records of functions are passed on in recursive calls like any other functional argument.
-- ==
-- input { 5i64 3i64 }
-- output { 8i64 -10i64 }
type^ steps = {up: i64 -> i64, down: i64 -> i64}

def walk (n: i64) (s: steps) (x: i64) : i64 =
  if n <= 0 then x else walk (n - 1) s (if n % 2 == 0 then s.down x else s.up x)

def main (n: i64) (k: i64) =
  (walk n {up = (+ k), down = (+ (-2))} k, walk n {up = (\x -> x - k), down = (\x -> x - 2)} k)
