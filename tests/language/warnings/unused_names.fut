-- A name bound by `let` should be used; a leading underscore marks it as unused.
-- ==
-- warning: W0012.*:10:7
-- warning: W0012.*:11:12
-- warning: W0012.*:12:7
-- input { 3 }
-- output { 4 }
def main (x: i32) =
  let y = x + 1
  let unused = y * 2
  let (_z, w, _) = (x, y, y)
  let twice (a: i32) = a * 2
  let shadowed = x
  let shadowed = shadowed + 1
  let {a} = {a = shadowed}
  in a
