-- Functions may take functions as arguments.
-- ==
-- input { 5 }
-- output { 81 }
def twice (f: i32 -> i32) (x: i32) = f (f x)

def main (x: i32) = twice (\y -> y - 4) x + twice (* 4) x + 4
