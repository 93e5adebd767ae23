-- Values of different types cannot be elements of one array.
-- ==
-- error: E0201.*:4:34
def main (x: i32) (y: f32) = [x, y]
