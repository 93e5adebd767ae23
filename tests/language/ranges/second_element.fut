-- A second element says how far apart the elements are.
-- ==
-- input { 0 }
-- output { [0, 3, 6, 9] [0, 3, 6] [9, 7, 5] }
def main (z: i32) = (z..3...9, z..3..<9, 9..7..>3)
