-- A recursive function may take and return values of a type that hides sizes.
-- ==
-- input { 3i32 }
-- output { 3i64 }
-- input { 0i32 }
-- output { 0i64 }
module rows : { type~ t val none : () -> t val push : i32 -> t -> t val size : t -> i64 } = {
  type~ t = []i32 def none () : t = [] def push x (t: t) : t = t ++ [x] def size (t: t) = length t }
def grow (n: i32) (b: rows.t) : rows.t = if n == 0 then b else grow (n - 1) (rows.push n b)
def main (n: i32) = rows.size (grow n (rows.none ()))
