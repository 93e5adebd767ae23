-- A character in single quotes denotes its code point, in whatever integer type the context requires.
-- ==
-- input { }
-- output { 97u8 98 8364i64 }
def main = ('a': u8, 'b', '€': i64)
