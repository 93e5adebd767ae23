-- What is inside a module is found under the module's name, and must be there.
-- ==
-- error: E0202.*:4:25
def main (x: f32) = f32.squareroot x
