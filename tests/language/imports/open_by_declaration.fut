-- As a declaration, `import` makes the names of the file known directly.
-- ==
-- input { 2 }
-- output { 8 }
import "files/powers"

def main (x: i32) = cube x
