-- A definition with the name `main` is an entry point, even if it is declared with `def`.
-- ==
-- input { 4 }
-- output { 5 }
def main (x: i32) = x + 1
