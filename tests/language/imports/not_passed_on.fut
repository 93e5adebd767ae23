-- Names that a file imports by a declaration are not visible to files that import it.
-- ==
-- error: E0202.*:6:21
import "files/deeper/sums"

def main (x: i32) = cube x
