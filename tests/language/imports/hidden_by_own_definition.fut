-- A definition of the file itself hides an imported one.
-- ==
-- input { 3 }
-- output { 4 }
import "files/powers"

def square (x: i32) = x + 1

def main (x: i32) = square x
