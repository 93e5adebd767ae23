-- A parametric module must give what its module type says, whether it is applied or not.
-- ==
-- error: E0217.*:6:25
module type number = { type t val one : t }
module type counter = (n: number) -> { val count : n.t }
module late : counter = \(n: number) -> { def start = n.one }
