-- The longest possible operator is read: `=-` is one operator, and unknown.
-- ==
-- error: E0202.*:4:32
def main (x: i32) (y: i32) = x ==- y
