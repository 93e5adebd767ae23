-- A function whose result may have aliases cannot be passed where a function with a unique result is expected.
-- ==
-- error: E0408.*:6:36
def twice [n] (f: [n]i32 -> *[n]i32) (xs: [n]i32) : *[n]i32 = f (f xs)

def main [n] (xs: [n]i32) = twice (\ys -> ys) xs
