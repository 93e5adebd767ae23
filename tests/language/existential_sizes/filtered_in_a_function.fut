-- What a function filters has no size that its caller could know before.
-- ==
-- error: E0302.*:5:31
def twice [n] (f: [n]i32 -> [n]i32) (xs: [n]i32) : [n]i32 = f (f xs)
def main (xs: []i32) = twice (filter (> 0)) xs
