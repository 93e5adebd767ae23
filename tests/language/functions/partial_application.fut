-- A function applied to some of its arguments is a function of the remaining ones.
-- ==
-- input { [1, 2, 3] }
-- output { [11, 12, 13] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
def add (x: i32) (y: i32) = x + y

def main (xs: []i32) =
  let add_ten = add 10
  in map add_ten xs
