-- A `local` definition is not visible to files that import its file.
-- ==
-- error: E0202.*:6:21
import "files/powers"

def main (x: i32) = not_offered x
