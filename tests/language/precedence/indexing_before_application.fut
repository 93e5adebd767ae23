-- Indexing and projection bind more tightly than application.
-- ==
-- input { [-3, 4] }
-- output { 3 4 }
def main (xs: []i32) =
  let t = (xs, 4)
  in (i32.abs xs[0], i32.max xs[1] t.0[0])
