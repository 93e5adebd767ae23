-- The checker infers that a size stays the same from iteration to iteration.
-- ==
-- input { [1, 2] 3 }
-- output { [8, 16] }
-- input { empty([0]i32) 3 }
-- output { empty([0]i32) }
def main [n] (xs: [n]i32) (k: i32) : [n]i32 =
  loop ys = xs for _i < k do map (* 2) ys
