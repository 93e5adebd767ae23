-- A parameter of type `?[n].t` takes an array of any size, like one with an unnamed size.
-- ==
-- input { [1, 2] }
-- output { 2i64 }
-- input { empty([0]i32) }
-- output { 0i64 }
def count (xs: ?[n].[n]i32) = length xs

def main (xs: []i32) = count xs
