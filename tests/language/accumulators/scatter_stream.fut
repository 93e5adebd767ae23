-- `scatter_stream dest f xs` applies `f` to each element of `xs`; each application may write anywhere in `dest`. Of several values
-- written to one place the last stays, or on a device any one.
-- ==
-- input { [0, 0, 0, 0] [1i64, 3i64] }
-- output { [0, 1, 0, 3] }
-- no_opencl no_cuda input { [0, 0, 0, 0] [1i64, 2i64] }
-- output { [0, 1, 12, 2] }
-- input { [5] empty([0]i64) }
-- output { [5] }
def write [k] (acc: *intrinsics.acc ([k]i32)) (i: i64) : intrinsics.acc ([k]i32) =
  let acc = intrinsics.acc_write acc i (i32.i64 i)
  in if i == 2 then intrinsics.acc_write (intrinsics.acc_write acc 3 2) 2 12 else acc

def main [n] (dest: *[]i32) (is: [n]i64) = intrinsics.scatter_stream dest write is
