-- `<<` and `>>` bind more loosely than sums.
-- ==
-- input { 1 2 }
-- output { 8 12 }
def main (x: i32) (y: i32) = (x << x + y, x + y << y)
