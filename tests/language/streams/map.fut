-- `stream_map` applies a function to the chunks of an array, passing the size of each, and concatenates the results.
-- ==
-- input { [1, 2, 3, 4, 5] }
-- output { [3, 5, 7, 9, 11] }
-- input { empty([0]i32) }
-- output { empty([0]i32) }
-- input { [7] }
-- output { [15] }
def main (xs: []i32) = stream_map (\_ chunk -> map (\x -> 2 * x + 1) chunk) xs
