-- An asterisk before the type of a tuple parameter gives away all components.
-- ==
-- input { [1, 2] [3, 4] }
-- output { [0, 2] [5, 4] }
def both_parts ((as, bs): *([]i32, []i32)) = (as with [0] = 0, bs with [0] = 5)

def main (xs: *[]i32) (ys: *[]i32) = both_parts (xs, ys)
