-- Specifications name the sizes of arguments and results.
-- ==
-- input { [1, 2, 3] }
-- output { [3, 4, 5] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
module type shifts = { val shift [n] : i32 -> [n]i32 -> [n]i32 }
module m : shifts = { def shift [n] (by: i32) (xs: [n]i32) : [n]i32 = map (+ by) xs }

def main [n] (xs: [n]i32) : [n]i32 = m.shift 2 xs
