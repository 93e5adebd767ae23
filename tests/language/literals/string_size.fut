-- The size of a string literal is its number of bytes, which is known statically.
-- ==
-- input { }
-- output { [98u8, 98u8, 98u8] }
def shift [n] (by: u8) (text: [n]u8) : [n]u8 = map (+ by) text

def main : [3]u8 = shift 1 "aaa"
