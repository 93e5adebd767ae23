-- What a file imports by a declaration, it does not offer itself.
-- ==
-- error: E0202.*:6:21
import "files/deeper/sums"

def main (x: i32) = cube x
