-- Every name that is used must be in scope.
-- ==
-- error: E0202.*:4:25
def main (x: i32) = x + y
