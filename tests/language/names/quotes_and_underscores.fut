-- A name begins with a letter or an underscore, and continues with letters, digits, underscores and quotes.
-- ==
-- input { 5 }
-- output { 5 6 7 }
def main (x: i32) =
  let x' = x + 1
  let x_2'' = x' + 1
  in (x, x', x_2'')
