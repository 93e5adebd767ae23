-- A type constructor takes `[n]` as a size: an array type as its argument needs parentheses.
-- ==
-- input { [1, 2] }
-- output { [1, 2] [1, 2] }
type twice 'a = (a, a)

def main [n] (xs: [n]i32) : twice ([n]i32) = (xs, xs)
