-- A definition called `main` is an entry point, however it is declared.
-- ==
-- input { 4 }
-- output { 5 }
def main (x: i32) = x + 1
