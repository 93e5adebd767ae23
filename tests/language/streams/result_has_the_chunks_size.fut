-- A chunk function must return as many elements as its chunk has.
-- ==
-- error: E0301.*:4:44
def main (xs: []i32) : []i32 = stream_map (\_ _ -> [1i32, 2i32]) xs
