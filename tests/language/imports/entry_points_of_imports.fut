-- An `entry` of an imported file is an ordinary function: only those of the main file are entry points.
-- ==
-- input { 5 }
-- output { 6 }
import "files/with_entry"

def main (x: i32) = successor x
