-- A function of `()` has one possible argument.
-- ==
-- input { }
-- output { 5 }
def five () = 5i32

def main = five ()
