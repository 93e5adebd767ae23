-- The bound of a loop in a map may be of any integer type, and negative.
-- ==
-- input { 2i64 2 3i8 [1i64, 2i64] } output { [151i64, 232i64] }
-- input { 2i64 -5 -1i8 [1i64, 2i64] } output { [1i64, 2i64] }
-- input { 2i64 -2147483648 127i8 [1i64, 2i64] } output { [255i64, 256i64] }
def main [n] (k: i64) (m: i32) (s: i8) (xs: [n]i64) : [n]i64 =
  loop a = xs for _i < k do
    map (\x -> (loop y = x for _j < m do y * 3 + 1) + (loop z = 0 for _j < s do z + 1)) a
