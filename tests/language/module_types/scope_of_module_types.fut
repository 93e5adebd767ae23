-- Names in a module type refer to the scope where it is written, wherever it is included.
-- ==
-- input { 3 }
-- output { 4 }
type t = i32
module type stepper = { val step : t -> t }
module type machine = { type t include stepper val on : t }
module m : machine = { type t = bool def step (x: i32) = x + 1 def on = true }

def main (x: i32) = m.step x
