-- A module type specifies a name only once; values and modules share one namespace.
-- ==
-- error: E0210.*:6:10
module type pair = {
  val fst : i32
  module fst : { val x : i32 }
}
