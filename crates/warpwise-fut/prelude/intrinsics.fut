-- | The types of the structural intrinsics. Each is a member of the module `intrinsics`;
-- the scalar members follow from the operators' types and are not listed.

module type intrinsics = {
  val map 'a 'b [n] : (a -> b) -> [n]a -> *[n]b
  val reduce 'a [n] : (a -> a -> a) -> a -> [n]a -> *a
  val reduce_comm 'a [n] : (a -> a -> a) -> a -> [n]a -> *a
  val scan 'a [n] : (a -> a -> a) -> a -> [n]a -> *[n]a
  val exscan 'a [n] : (a -> a -> a) -> a -> [n]a -> *[n]a
  val filter 'a [n] : (a -> bool) -> [n]a -> ?[k].*[k]a
  val partition 'a [n] : (a -> bool) -> [n]a -> ?[k].(*[k]a, *[n - k]a)
  val partition2 'a [n] : (a -> bool) -> (a -> bool) -> [n]a -> ?[k][l].(*[k]a, *[l]a, *[n - k - l]a)
  val scatter 'a [n] [l] : *[n]a -> [l]i64 -> [l]a -> *[n]a
  val scatter_2d 'a [n] [m] [l] : *[n][m]a -> [l](i64, i64) -> [l]a -> *[n][m]a
  val scatter_3d 'a [n] [m] [k] [l] : *[n][m][k]a -> [l](i64, i64, i64) -> [l]a -> *[n][m][k]a
  val hist_1d 'a [n] [l] : *[n]a -> (a -> a -> a) -> a -> [l]i64 -> [l]a -> *[n]a
  val hist_2d 'a [n] [m] [l] : *[n][m]a -> (a -> a -> a) -> a -> [l](i64, i64) -> [l]a -> *[n][m]a
  val hist_3d 'a [n] [m] [k] [l] : *[n][m][k]a -> (a -> a -> a) -> a -> [l](i64, i64, i64) -> [l]a -> *[n][m][k]a
  val stream_map 'a 'b [n] : ((c: i64) -> [c]a -> [c]b) -> [n]a -> *[n]b
  val stream_red 'a 'b 'acc [n] : (acc -> acc -> acc) -> ((c: i64) -> *acc -> [c]a -> (acc, [c]b)) -> acc -> [n]a
                                  -> (*acc, *[n]b)
  val stream_seq 'a 'b 'acc [n] : ((c: i64) -> *acc -> [c]a -> (acc, [c]b)) -> acc -> [n]a -> (*acc, *[n]b)
  val zip 'a 'b [n] : [n]a -> [n]b -> *[n](a, b)
  val unzip 'a 'b [n] : [n](a, b) -> (*[n]a, *[n]b)
  val flatten 'a [n] [m] : [n][m]a -> [n * m]a
  val unflatten 'a : (n: i64) -> (m: i64) -> [n * m]a -> [n][m]a
  val concat 'a [n] [m] : [n]a -> [m]a -> *[n + m]a
  val transpose 'a [n] [m] : [n][m]a -> [m][n]a
  val replicate 'a : (n: i64) -> a -> *[n]a
  val copy 'a : a -> *a
  val manifest 'a : a -> *a
  val flatmap 'a 'b 'c [n] : (a -> ?[k].([k]b, c)) -> [n]a -> ?[m].(*[n]i64, *[m]bool, *[n]i64, *[m]b, *[n]c)
  val flat_index_2d 'a [n] : [n]a -> i64 -> (n1: i64) -> i64 -> (n2: i64) -> i64 -> [n1][n2]a
  val flat_index_3d 'a [n] : [n]a -> i64 -> (n1: i64) -> i64 -> (n2: i64) -> i64 -> (n3: i64) -> i64 -> [n1][n2][n3]a
  val flat_index_4d 'a [n] : [n]a -> i64 -> (n1: i64) -> i64 -> (n2: i64) -> i64 -> (n3: i64) -> i64 -> (n4: i64) -> i64
                             -> [n1][n2][n3][n4]a
  val flat_update_2d 'a [n] [k] [l] : *[n]a -> i64 -> i64 -> i64 -> [k][l]a -> *[n]a
  val flat_update_3d 'a [n] [k] [l] [p] : *[n]a -> i64 -> i64 -> i64 -> i64 -> [k][l][p]a -> *[n]a
  val flat_update_4d 'a [n] [k] [l] [p] [q] : *[n]a -> i64 -> i64 -> i64 -> i64 -> i64 -> [k][l][p][q]a -> *[n]a
  val scatter_stream 'a 'b [k] [n] : *[k]a -> (*(intrinsics.acc ([k]a)) -> b -> intrinsics.acc ([k]a)) -> [n]b -> *[k]a
  val hist_stream 'a 'b [k] [n] : *[k]a -> (a -> a -> a) -> a
                                  -> (*(intrinsics.acc ([k]a)) -> b -> intrinsics.acc ([k]a)) -> [n]b -> *[k]a
  val acc_write 'a [k] : *(intrinsics.acc ([k]a)) -> i64 -> a -> *(intrinsics.acc ([k]a))
}
