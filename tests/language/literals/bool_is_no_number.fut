-- `bool` is not a numeric type: a number is not a condition.
-- ==
-- error: E0201.*:4:24
def main (x: i32) = if 1 then x else 0
