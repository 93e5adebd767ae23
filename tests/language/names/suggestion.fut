-- An unknown name that is nearly a known one gets a suggestion.
-- ==
-- error: E0202.*:4:24
def main (xs: []i32) = redcue (+) 0 xs
