-- The result type may use the size of a parameter.
-- ==
-- input { [1, 2] }
-- output { [2, 4] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def double [n] (xs: [n]i32) : [n]i32 = map (* 2) xs

def main [n] (xs: [n]i32) : [n]i32 = double (double xs) |> map (/ 2)
