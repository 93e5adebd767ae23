-- Types and module types have separate namespaces: they may have the same name as a module or a value.
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
