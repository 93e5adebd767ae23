-- A function with an existential size in its result cannot be passed where the result size must be known before the call.
-- ==
-- error: E0302.*:5:31
def twice [n] (f: [n]i32 -> [n]i32) (xs: [n]i32) : [n]i32 = f (f xs)
def main (xs: []i32) = twice (filter (> 0)) xs
