-- A module type specifies a name once; values and modules share their names.
-- ==
-- error: E0210.*:6:10
module type pair = {
  val fst : i32
  module fst : { val x : i32 }
}
