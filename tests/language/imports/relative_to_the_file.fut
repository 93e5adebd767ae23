-- An import path is relative to the importing file, and may lead to parent folders.
-- ==
-- input { 3 }
-- output { 28 }
import "files/deeper/sums"

def main (x: i32) = cube_and_one x
