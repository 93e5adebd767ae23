-- `scatter_2d` takes pairs of indices; a pair that is out of bounds is ignored.
-- ==
-- input { [[0, 0], [0, 0]] }
-- output { [[0, 7], [8, 0]] }
def main (dest: *[2][2]i32) =
  scatter_2d dest [(0, 1), (1, 0), (1, 2), (-1, 0)] [7, 8, 9, 10]
