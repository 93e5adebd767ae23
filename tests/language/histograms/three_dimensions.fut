-- `reduce_by_index_3d` takes triples of indices.
-- ==
-- input { [[[1]], [[2]]] }
-- output { [[[1]], [[9]]] }
def main (dest: *[2][1][1]i32) = reduce_by_index_3d dest (+) 0 [(1, 0, 0), (1, 0, 0)] [3, 4]
