-- Values of a lifted type parameter cannot be elements of an array, because they may be functions.
-- ==
-- error: E0211.*:4:30
def both '^a (x: a) (y: a) = [x, y]
