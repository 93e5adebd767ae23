-- Parameters without a type get type parameters of their own, in addition to the declared ones.
-- ==
-- input { 1 true }
-- output { true 1 }
def swap 'a (x: a) y = (y, x)

def main (x: i32) (b: bool) = swap x b
