-- An accumulator is an array that a function adds to, or writes to, for each element of another array.
-- Where nothing is said of how values combine, the last one written stays, or on a device any one; an index outside is ignored.
-- ==
-- entry: written
-- input { 5i64 [3i64, 0i64, 4i64, 9i64, -1i64] }
-- output { [1i64, -1i64, -1i64, 0i64, 2i64] }
-- no_opencl no_cuda input { 5i64 [3i64, 0i64, 3i64, 9i64, -1i64] }
-- output { [1i64, -1i64, -1i64, 2i64, -1i64] }
-- input { 0i64 [0i64] }
-- output { empty([0]i64) }
-- input { 2i64 empty([0]i64) }
-- output { [-1i64, -1i64] }

-- ==
-- entry: counted
-- input { 4i64 [1i64, 1i64, 3i64, 7i64] }
-- output { [0i64, 6i64, 0i64, 1i64] [0i64, 2i64, 0i64, 3i64] }
-- input { 0i64 empty([0]i64) }
-- output { empty([0]i64) empty([0]i64) }

type~ acc 't = intrinsics.acc t

def add [k] 't (acc: *acc ([k]t)) (i: i64) (x: t) : *acc ([k]t) = intrinsics.acc_write acc i x

entry written (k: i64) (is: []i64) : []i64 =
  intrinsics.scatter_stream (replicate k (-1)) (\(acc: *acc ([k]i64)) (i, x) -> add acc i x) (zip is (indices is))

-- Several values at one place combine by the operator; a function may add several times, and in branches.
entry counted (k: i64) (is: []i64) : ([]i64, []i64) =
  let both (a: i64, b: i64) (c, d) = (a + c, i64.max b d)
  in unzip (intrinsics.hist_stream (replicate k (0, 0)) both (0, i64.lowest)
                                   (\(acc: *acc ([k](i64, i64))) i ->
                                      let acc = add acc i (1, i)
                                      in if i % 2 == 1 then add acc 1 (1, 2) else acc)
                                   is)
