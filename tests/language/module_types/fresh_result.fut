-- A module type may ask for a unique result where the function's annotation promises none: what counts is that the result shares
-- no memory.
-- ==
-- input { [1i32, 2i32] }
-- output { [9i32, 2i32] [1i32, 2i32] }
module type counter = {
  type t [n]
  val init [n] : [n]i32 -> *t [n]
  val both [n] : *t [n] -> *(t [n], [n]i32)
}

module plain : counter = {
  type t [n] = {count: [n]i32}
  def init [n] (xs: [n]i32) : t [n] = {count = copy xs}
  def both [n] ({count}: *t [n]) : (*t [n], [n]i32) =
    let old = copy count
    in ({count = count}, old)
}

entry main [n] (xs: [n]i32) : ([n]i32, [n]i32) =
  let (_, ys) = plain.both (plain.init xs)
  in (ys with [0] = 9, xs)
