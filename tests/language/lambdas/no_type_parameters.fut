-- A lambda has no type parameters; a local function may have them.
-- ==
-- error: E0110.*:4:23
def main (x: i32) = (\'a (y: a) -> y) x
