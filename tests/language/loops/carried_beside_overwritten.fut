-- A loop may carry a number beside an array that it updates, even if the number is an element of another operation's result.
-- ==
-- input { [2i64, 3i64] }
-- output { [[6i64, 7i64, 8i64], [9i64, 10i64, 11i64]] }
-- input { empty([0]i64) }
-- output { empty([0][3]i64) }
def counted (first: i64) : [3]i64 =
  (loop (at, xs) = (first, replicate 3 0) for i < 3 do (at + 1, xs with [i] = at)).1

def main [n] (ys: [n]i64) : [n][3]i64 = map counted (map (* 3) ys)
