-- Writes out of bounds of the accumulator are ignored.
-- ==
-- input { [0, 0] [-1i64, 1i64, 2i64] }
-- output { [0, 7] }
def main [n] (dest: *[2]i32) (is: [n]i64) =
  intrinsics.scatter_stream dest (\(acc: *intrinsics.acc ([2]i32)) i -> intrinsics.acc_write acc i 7) is
