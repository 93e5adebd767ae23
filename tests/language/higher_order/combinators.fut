-- The prelude defines `id`, `const`, `flip`, `curry` and `uncurry`.
-- ==
-- input { 5 3 }
-- output { 5 5 -2 8 8 }
def main (x: i32) (y: i32) =
  let plus (a: i32, b: i32) = a + b
  in (id x, const x y, flip (-) x y, curry plus x y, uncurry (+) (x, y))
