-- A size must be known before it is needed: arguments are evaluated from the last to the first.
-- ==
-- error: E0305.*:4:47
def main (xs: []i32) = zip (filter (> 0) xs) (rep 0i32)
