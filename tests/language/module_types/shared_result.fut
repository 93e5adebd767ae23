-- A result that shares memory with a parameter is not unique, whatever a module type asks for.
-- ==
-- error: E0408.*:9:26
module type counter = {
  type t [n]
  val init [n] : [n]i32 -> *t [n]
}

module plain : counter = {
  type t [n] = {count: [n]i32}
  def init [n] (xs: [n]i32) : t [n] = {count = xs}
}

entry main (xs: []i32) : i64 = let _ = plain.init xs in 0
