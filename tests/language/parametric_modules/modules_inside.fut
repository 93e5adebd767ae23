-- What is inside a parametric module is checked with it, parametric modules included.
-- ==
-- error: E0201.*:7:48
module type number = { type t val one : t }

module outer (n: number) = {
  module inner (m: number) = { def one : n.t = m.one }
}
