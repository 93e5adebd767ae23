-- A type parameter may stand for an array type; all its values then have the same shape.
-- ==
-- input { [[1, 2], [3, 4]] }
-- output { [3, 4] }
def second 'a (xs: []a) : a = xs[1]

def main (xss: [][]i32) = second xss
