-- The contents of a parametric module are checked with it, including inner parametric modules.
-- ==
-- error: E0201.*:7:48
module type number = { type t val one : t }

module outer (n: number) = {
  module inner (m: number) = { def one : n.t = m.one }
}
