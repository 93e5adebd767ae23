-- A recursive function may return the empty tuple.
-- ==
-- input { 4 }
-- output { 4 }
def descend (n: i32) : () =
  if n == 0 then () else descend (n - 1)

def main (x: i32) = let () = descend x in x
