-- A parameter with an asterisk is given away by the caller, so that the function may consume it.
-- ==
-- input { [1, 2, 3] }
-- output { [0, 2, 3] }
def clear_first (xs: *[]i32) : *[]i32 = xs with [0] = 0

def main (xs: *[]i32) = clear_first xs
