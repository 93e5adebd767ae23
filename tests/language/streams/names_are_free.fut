-- A program may define its own `stream_map` and similar functions.
-- ==
-- input { [1, 2] }
-- output { [2, 3] }
def stream_map (xs: []i32) = map (+ 1) xs
def stream_red = stream_map
def main = stream_red
