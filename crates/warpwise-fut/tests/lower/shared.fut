-- Parts of a value that share storage are copied before they are overwritten; parts that do not are not.

def twins (n: i64) : ([n]i32, [n]i32) = let xs = replicate n 0 in (xs, xs)

def pair (n: i64) : ([n]i32, [n]i32) = (replicate n 1, replicate n 2)

entry shared (n: i64) =
  let (xs, ys) = twins n
  in unzip (zip xs ys with [0] = (3, 4))

entry apart (n: i64) =
  let (xs, ys) = pair n
  let xs[0] = 3
  let ys[0] = 4
  in (xs, ys)
