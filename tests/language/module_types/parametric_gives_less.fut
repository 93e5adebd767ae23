-- A parametric module must define what its module type says, whether or not it is applied.
-- ==
-- error: E0217.*:6:25
module type number = { type t val one : t }
module type counter = (n: number) -> { val count : n.t }
module late : counter = \(n: number) -> { def start = n.one }
