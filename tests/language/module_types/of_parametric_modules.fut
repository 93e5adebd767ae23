-- The type of a parametric module consists of its parameter type and its result type, which may refer to the parameter.
-- ==
-- input { 3 }
-- output { 12 }
module type operation = { type t val run : t -> t }
module type combinator = (op: operation) -> operation with t = op.t
module twice : combinator = \(op: operation) -> { type t = op.t def run (x: t) = op.run (op.run x) }
module double = { type t = i32 def run (x: i32) = x * 2 }
module quadruple = twice double

def main (x: i32) : i32 = quadruple.run x
