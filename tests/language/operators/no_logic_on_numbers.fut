-- `&&` takes booleans, not numbers.
-- ==
-- error: E0201.*:4:21
def main (x: i32) = x && true
