-- A qualified name refers to a member of a module, which must exist.
-- ==
-- error: E0202.*:4:25
def main (x: f32) = f32.squareroot x
