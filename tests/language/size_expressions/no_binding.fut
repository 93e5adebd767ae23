-- A size expression must not bind names.
-- ==
-- error: E0307.*:4:16
def main (xs: [let n = 3 in n]i32) = xs
