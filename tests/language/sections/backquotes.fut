-- A function in backquotes forms sections, too.
-- ==
-- input { [1, 5] }
-- output { [3, 5] [4, 2] }
def sub (x: i32) (y: i32) = x - y

def main (xs: []i32) = (map (`i32.max` 3) xs, map (5 `sub`) (map (\x -> (x + 1) / 2) xs))
