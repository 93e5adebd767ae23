-- `type^` declares an abbreviation of a function type.
-- ==
-- input { [1, -2, 3] }
-- output { 2i64 }
type^ predicate = i32 -> bool

def count [n] (p: predicate) (xs: [n]i32) = length (filter p xs)

def main (xs: []i32) = count (> 0) xs
