-- The head of a loop ends with `do`.
-- ==
-- error: E0110.*:4:42
def main (n: i32) = loop x = 0 for i < n in x + i
