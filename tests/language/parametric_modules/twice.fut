-- A parametric module may apply a parameter that is itself parametric as often as the types allow.
-- ==
-- input { 5 }
-- output { 7 }
module type counter = { type t val start : t val step : t -> t }
module type change = (c: counter) -> counter with t = c.t
module type change_of_change = (f: change) -> change
module twice : change_of_change = \(f: change) -> \(c: counter) -> f (f c)
module later : change = \(c: counter) -> { type t = c.t def start = c.step c.start def step = c.step }
module two_later = twice later
module ints = { type t = i32 def start = 0i32 def step (x: i32) = x + 1 }
module result = two_later ints

def main (x: i32) : i32 = x + result.start
