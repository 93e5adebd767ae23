-- A hole may stand for a function whose result has an unknown size.
-- ==
-- input { 2i64 }
-- error: hole
def later : (n: i64) -> []i64 = ???

def main (n: i64) = later n
