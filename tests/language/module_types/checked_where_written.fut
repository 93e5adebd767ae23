-- A module type is checked where it is written, whether or not a module has it.
-- ==
-- error: E0203.*:6:17
module type shape = {
  type t
  val corners : tt -> i32
}
