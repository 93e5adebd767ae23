-- There is no tuple of one component.
-- ==
-- error: E0205.*:4:25
def main (x: i32) = (x).0
