entry f [n] (xs: [n]f64) : f64 = f64.sum xs
