-- The results of two functions have different sizes even if one size-lifted type parameter stands for both.
-- ==
-- error: E0301.*:8:13
def both '~a (_twice: bool) (f: () -> a) (g: () -> a) : (a, a) = (f (), g ())

def main (xs: []i32) =
  let (ys, zs) = both true (\() -> filter (> 0) xs) (\() -> filter (> 1) xs)
  in zip ys zs
