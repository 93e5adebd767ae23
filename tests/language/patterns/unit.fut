-- `()` matches the empty tuple.
-- ==
-- input { 3 }
-- output { 3 }
def give (x: i32) () = x

def main (x: i32) =
  let () = ()
  in give x ()
