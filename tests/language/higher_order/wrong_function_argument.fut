-- A function argument must have the type of its parameter.
-- ==
-- error: E0201.*:6:27
def twice (f: i32 -> i32) (x: i32) = f (f x)

def main (x: i32) = twice f32.i32 x
