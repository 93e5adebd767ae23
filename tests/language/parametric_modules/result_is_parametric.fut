-- The result of a parametric module may be a parametric module.
-- ==
-- input { 5 }
-- output { 12 }
module type number = { val x : i32 }
module scale (by: number) : (to: number) -> { val apply : i32 -> i32 } = \(to: number) -> {
  def apply (x: i32) = x * by.x + to.x
}
module double = scale { def x = 2i32 }
module double_and_two = double { def x = 2i32 }

def main (x: i32) = double_and_two.apply x
