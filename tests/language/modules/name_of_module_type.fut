-- Types and module types have names of their own: they may be called as a module or a value is.
-- ==
-- input { 2 }
-- output { 3 }
module type counter = { type counter val counter : counter val next : counter -> counter }
module counter : counter with counter = i32 = {
  type counter = i32
  def counter = 1i32
  def next (x: i32) = x + 1
}
type counter = counter.counter

def main (x: counter) : counter = counter.next x
