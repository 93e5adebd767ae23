-- The error for an unknown name suggests a known name that is similar.
-- ==
-- error: E0202.*:4:24
def main (xs: []i32) = redcue (+) 0 xs
