-- A slice with a negative step goes backwards; omitted bounds are then the end and the beginning.
-- ==
-- input { [1, 2, 3, 4] }
-- output { [4, 3, 2, 1] [4, 3] [4, 2] }
-- input { [1, 2, 3, 9] }
-- output { [9, 3, 2, 1] [9, 3] [9, 2] }
def main (xs: []i32) = (xs[::-1], xs[3:1:-1], xs[3:0:-2])
