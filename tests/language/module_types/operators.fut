-- A module type may list operators, too.
-- ==
-- input { 2 3 }
-- output { 13 }
module type sums = { val (+^) : i32 -> i32 -> i32 }
module squares : sums = { def (x: i32) +^ (y: i32) = x * x + y * y }

def main (x: i32) (y: i32) = x squares.+^ y
