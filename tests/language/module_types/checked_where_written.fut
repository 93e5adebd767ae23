-- A module type is checked where it is written, whether a module has it or not.
-- ==
-- error: E0203.*:6:17
module type shape = {
  type t
  val corners : tt -> i32
}
