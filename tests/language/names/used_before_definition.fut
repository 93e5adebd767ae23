-- A declaration cannot refer to a name that is declared only below it.
-- ==
-- error: E0202.*:4:21
def main (x: i32) = later x

def later (x: i32) = x
