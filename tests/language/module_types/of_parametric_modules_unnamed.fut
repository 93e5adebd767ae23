-- A module parameter needs no name if the result type does not refer to it.
-- ==
-- input { 3 }
-- output { 9 }
module type number = { val x : i32 }
module type square = number -> number
module square : square = \(n: number) -> { def x = n.x * n.x }
module three = { def x = 3i32 }
module nine = square three

def main (_: i32) = nine.x
