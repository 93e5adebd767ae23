-- A write consumes the accumulator, which must not be used again.
-- ==
-- error: E0401.*:6:27
def twice [k] (acc: *intrinsics.acc ([k]i32)) (i: i64) : intrinsics.acc ([k]i32) =
  let other = intrinsics.acc_write acc i 1
  in intrinsics.acc_write acc i 2
