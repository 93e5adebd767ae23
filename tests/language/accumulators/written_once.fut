-- An accumulator is consumed by writing to it: the older one is used no more.
-- ==
-- error: E0401.*:6:27
def twice [k] (acc: *intrinsics.acc ([k]i32)) (i: i64) : intrinsics.acc ([k]i32) =
  let other = intrinsics.acc_write acc i 1
  in intrinsics.acc_write acc i 2
