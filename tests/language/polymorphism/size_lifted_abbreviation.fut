-- `type~` declares an abbreviation of a type with an unknown size.
-- ==
-- input { [1, 2, 3] }
-- output { 3i64 }
type~ some_ints = ?[n].[n]i32

def as_some (xs: []i32) : some_ints = xs

def main (xs: []i32) = length (as_some xs)
