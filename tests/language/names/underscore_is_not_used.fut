-- A name with a leading underscore marks an unused value; using it is an error.
-- ==
-- error: E0222.*:4:22
def main (_x: i32) = _x + 1
