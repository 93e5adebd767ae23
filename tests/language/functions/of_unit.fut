-- A function with the parameter `()` has only one possible argument.
-- ==
-- input { }
-- output { 5 }
def five () = 5i32

def main = five ()
