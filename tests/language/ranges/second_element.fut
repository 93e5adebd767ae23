-- The second element of a range determines the step.
-- ==
-- input { 0 }
-- output { [0, 3, 6, 9] [0, 3, 6] [9, 7, 5] }
def main (z: i32) = (z..3...9, z..3..<9, 9..7..>3)
