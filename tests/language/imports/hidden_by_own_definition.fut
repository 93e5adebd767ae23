-- A definition in a file shadows an imported one of the same name.
-- ==
-- input { 3 }
-- output { 4 }
import "files/powers"

def square (x: i32) = x + 1

def main (x: i32) = square x
