-- `hist_stream dest op ne f xs` combines the values written to the same index with the operator `op`.
-- ==
-- input { [0, 0, 0] [1, 2, 3] }
-- output { [6, 12, 0] }
-- input { [1, 1, 1] empty([0]i32) }
-- output { [1, 1, 1] }
def add [k] (acc: *intrinsics.acc ([k]i32)) (x: i32) : intrinsics.acc ([k]i32) =
  intrinsics.acc_write (intrinsics.acc_write acc 0 x) 1 (2 * x)

def main [n] (dest: *[]i32) (xs: [n]i32) = intrinsics.hist_stream dest (+) 0 add xs
