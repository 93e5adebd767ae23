-- A character in single quotes is the number of its code point, of whatever integer type is asked for.
-- ==
-- input { }
-- output { 97u8 98 8364i64 }
def main = ('a': u8, 'b', '€': i64)
