-- `>>>` of an integer module shifts in zeros from the left.
-- ==
-- input { -1i8 4i8 }
-- output { 15i8 -1i8 }
def main (x: i8) (n: i8) = (x i8.>>> n, x >> n)
