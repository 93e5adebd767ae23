-- A parametric module is checked where it is written, whether or not it is applied.
-- ==
-- error: E0201.*:7:21
module type number = { type t val one : t }

module counter (n: number) = {
  def start : i32 = n.one
}
