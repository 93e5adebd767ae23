-- `reduce_by_index_2d` takes pairs of indices.
-- ==
-- input { [[0, 0], [0, 0]] }
-- output { [[1, 0], [0, 6]] }
def main (dest: *[2][2]i32) =
  reduce_by_index_2d dest (+) 0 [(0, 0), (1, 1), (1, 1), (5, 0)] [1, 2, 4, 8]
