-- A loop may carry an accumulator, so that one element may write any number of times.
-- ==
-- input { [0, 0, 0] [3i64, 1i64] }
-- output { [2, 1, 1] }
-- input { [4, 4, 4] empty([0]i64) }
-- output { [4, 4, 4] }
def add_upto [k] (acc: *intrinsics.acc ([k]i32)) (n: i64) : intrinsics.acc ([k]i32) =
  loop acc = acc for i < n do intrinsics.acc_write acc i 1

def main [n] (dest: *[]i32) (ns: [n]i64) = intrinsics.hist_stream dest (+) 0 add_upto ns
