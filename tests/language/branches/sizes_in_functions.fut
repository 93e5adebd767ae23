-- Unnamed sizes of the parameters of lambdas, local functions and functions in modules are distinct, too.
-- ==
-- entry: bound
-- input { true [1] [2, 3] }
-- output { [1] 5 }
entry bound (c: bool) (xs: []i32) (ys: []i32) =
  let choose (d: bool) (as: []i32) (bs: []i32) : []i32 = if d then as else bs
  in (choose c xs ys, i32.sum (choose (not c) xs ys))

-- ==
-- entry: lambda
-- input { false [1] [2, 3] }
-- output { [2, 3] }
entry lambda (c: bool) (xs: []i32) (ys: []i32) =
  (\(as: []i32) (bs: []i32) -> if c then as else bs) xs ys

def longer as bs = if length as > length bs then as else bs

-- ==
-- entry: longest
-- input { [1] [2, 3] [4, 5, 6] }
-- output { [4, 5, 6] }
entry longest (xs: []i32) (ys: []i32) (zs: []i32) = xs |> longer ys |> longer zs

module chain: {
  type~ t
  val wrap [n]: [n]i32 -> t
  val total: t -> i32
  val either: bool -> t -> t -> t
} = {
  type~ t = []i32
  def wrap (xs: []i32) : t = xs
  def total (xs: t) = i32.sum xs
  def either (c: bool) (a: t) (b: t) = if c then a else b
}

-- ==
-- entry: sealed
-- input { true [1] [2, 3] }
-- output { 1 }
-- input { false [1] [2, 3] }
-- output { 5 }
entry sealed (c: bool) (xs: []i32) (ys: []i32) =
  chain.total (chain.either c (chain.wrap xs) (chain.wrap ys))
