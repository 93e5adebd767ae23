-- A loop parameter without an initial value starts with the variable of the same name.
-- ==
-- input { 3 4 }
-- output { 81 }
def main (x: i32) (n: i32) =
  let acc = 1
  in loop acc for _i < n do acc * x
