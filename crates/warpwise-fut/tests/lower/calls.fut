-- Definitions that take data are functions, one per choice of types; those that take functions are expanded.

def last_of 'a [n] (xs: [n]a) : a = xs[n - 1]

def apply_all 'a [n] (f: a -> a) (xs: [n]a) : [n]a = map f xs

def positive [n] (xs: [n]i32) : []i32 = filter (> 0) xs

entry main [n] [m] (xss: [n][m]i32) (factor: i32) : ([]i32, i32) =
  let row = last_of (apply_all (map (* factor)) xss)
  let kept = positive row
  in (kept, last_of kept)
