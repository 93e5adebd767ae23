-- The bytes of a string are matched one by one.
-- ==
-- input { [97u8, 98u8, 120u8] }
-- output { [1, 2, 0] }
-- input { empty([0]u8) }
-- output { empty([0]i32) }
def main (text: []u8) = map (\c -> match c case 'a' -> 1i32 case 'b' -> 2 case _ -> 0) text
