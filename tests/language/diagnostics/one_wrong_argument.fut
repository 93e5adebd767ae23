-- A call with one wrong argument is one error.
-- ==
-- error: E0201.*:6:25
def f (x: i32) (b: bool) (y: f64) = if b then f64.i32 x else y

def main (x: i32) = f x x 2.0
