-- Numbers, including negative ones, characters and booleans are patterns.
-- ==
-- input { -1 97u8 true }
-- output { 10 20 1 }
-- input { 7 98u8 false }
-- output { 7 0 0 }
def main (x: i32) (c: u8) (b: bool) =
  ( match x case -1 -> 10 case y -> y
  , match c case 'a' -> 20 case _ -> 0
  , match b case true -> 1 case false -> 0
  )
