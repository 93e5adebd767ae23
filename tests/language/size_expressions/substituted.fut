-- In an application, the sizes of the arguments replace the size parameters.
-- ==
-- input { [1, 2] }
-- output { [1, 2, 1, 2, 1, 2] }
def twice [n] (xs: [n]i32) : [n + n]i32 = xs ++ xs

def main (xs: [2]i32) : [2 + 2 + 2]i32 = twice xs ++ xs
