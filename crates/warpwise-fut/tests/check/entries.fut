-- Entry points.

entry ok [n] (xs: [n]f32) (k: i64) : ([n]f32, i64) = (map (* 2) xs, k)
entry polymorphic 'a (x: a) = x -- error: E0215
entry takes_function (f: i32 -> i32) = f 1 -- error: E0215
entry size_nowhere [n] (x: i32) = replicate n x -- error: E0215
entry by_name = map f32.sqrt
entry constant = 3i32
module m = { entry inside (x: i32) = x } -- error: E0215
