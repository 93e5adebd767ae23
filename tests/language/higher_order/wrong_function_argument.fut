-- A function argument has the type that its parameter asks for.
-- ==
-- error: E0201.*:6:27
def twice (f: i32 -> i32) (x: i32) = f (f x)

def main (x: i32) = twice f32.i32 x
