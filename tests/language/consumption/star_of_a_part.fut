-- An asterisk on one component of a tuple parameter gives away this component, and the caller keeps the other one.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [0, 2] [3, 4] [3, 4] }
def first_part (t: (*[]i32, []i32)) = (t.0 with [0] = 0, t.1)

def main (xs: *[]i32) (ys: []i32) =
  let (as, bs) = first_part (xs, ys)
  in (as, bs, ys)
