-- In textual values, a comma may follow the last element, and a string or an empty array may be a row of an array.
-- ==
-- input { [1i64, 2i64,] ["ab", "cd",] [empty([0]f32), empty([0]f32)] }
-- output { ["ba", "dc"] [2i64, 0i64,] 3i64 }
-- input { [3i64,] [""] [[1f32]] }
-- output { [empty([0]u8)] [1i64, 1] 3i64 }
def main [n] [m] (xs: []i64) (texts: [][n]u8) (rows: [][m]f32) =
  (map reverse texts, [length rows, m], i64.sum xs)
