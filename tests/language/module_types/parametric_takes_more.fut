-- A parametric module must accept every argument that its module type allows.
-- ==
-- error: E0217.*:6:28
module type number = { type t val one : t }
module type counter = (n: number) -> { val count : n.t }
module bounded : counter = \(n: { type t val one : t val limit : t }) -> { def count = n.one }
