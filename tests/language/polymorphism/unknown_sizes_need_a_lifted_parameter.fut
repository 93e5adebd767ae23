-- A type parameter declared with `'~` may stand for arrays whose size differs from call to call.
-- ==
-- input { [1, -2, 3] }
-- output { [1, 3] }
def apply 'a '~b (f: a -> b) (x: a) : b = f x

def main [n] (xs: [n]i32) = apply (\ys -> filter (> 0) ys) xs
