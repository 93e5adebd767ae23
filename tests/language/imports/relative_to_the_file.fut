-- A path is relative to the file in which it stands, and may lead upwards.
-- ==
-- input { 3 }
-- output { 28 }
import "files/deeper/sums"

def main (x: i32) = cube_and_one x
