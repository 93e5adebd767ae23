-- Values of a lifted type parameter cannot be the elements of an array: they might be functions.
-- ==
-- error: E0211.*:4:30
def both '^a (x: a) (y: a) = [x, y]
