-- Conversions exist only between numeric types and `bool`.
-- ==
-- error: E0202.*:4:25
def main (x: i32) = i32.string x
