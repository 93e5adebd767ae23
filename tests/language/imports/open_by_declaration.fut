-- As a declaration, `import` brings the names of the file into scope.
-- ==
-- input { 2 }
-- output { 8 }
import "files/powers"

def main (x: i32) = cube x
