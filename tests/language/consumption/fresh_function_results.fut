-- A function with a new result may be passed where a function with a unique result is expected.
-- ==
-- input { [1, 2] }
-- output { [3, 4] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def twice [n] (f: [n]i32 -> *[n]i32) (xs: [n]i32) : *[n]i32 = f (f xs)

def main [n] (xs: [n]i32) = twice (map (+ 1)) xs
