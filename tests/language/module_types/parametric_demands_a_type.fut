-- A parametric module that accepts one type does not have the type of a parametric module that accepts every type.
-- ==
-- error: E0217.*:6:25
module type number = { type t val one : t }
module type counter = (n: number) -> { val count : n.t }
module ints : counter = \(n: number with t = i32) -> { def count = n.one + 1 }
