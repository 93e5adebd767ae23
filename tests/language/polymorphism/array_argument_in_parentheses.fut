-- An array type as a type argument needs parentheses: `[n]` alone is a size argument.
-- ==
-- input { [1, 2] }
-- output { [1, 2] [1, 2] }
type twice 'a = (a, a)

def main [n] (xs: [n]i32) : twice ([n]i32) = (xs, xs)
