-- Parameters are patterns, with or without a type.
-- ==
-- input { 1 2 3 }
-- output { 6 }
def sum3 (x, y) ({z}: {z: i32}) = x + y + z

def main (x: i32) (y: i32) (z: i32) = sum3 (x, y) {z}
