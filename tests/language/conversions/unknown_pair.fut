-- There are no conversions from a type to other things than numbers and booleans.
-- ==
-- error: E0202.*:4:25
def main (x: i32) = i32.string x
