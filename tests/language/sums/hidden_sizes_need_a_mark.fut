-- A type that hides a size must be declared with `type~`.
-- ==
-- error: E0216.*:4:13
type list = #many ([]i32) | #none

def main (x: i32) = x
