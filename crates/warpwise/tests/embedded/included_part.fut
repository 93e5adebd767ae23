-- What included.fut imports.
def twice (x: i32) = 2 * x
