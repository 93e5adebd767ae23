-- An attribute that the compiler does not know has no effect.
-- ==
-- input { 3 }
-- output { 4 }
#[somewhere(over, 7)]
def next (x: i32) = x + 1

def main (x: i32) = #[rainbow] next x
