-- `()` is the empty tuple, and also its type.
-- ==
-- input { 4 }
-- output { 4 }
def ignore (_: i32) : () = ()

def main (x: i32) = let () = ignore x in x
