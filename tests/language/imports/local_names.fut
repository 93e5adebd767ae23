-- What is `local` in a file is not seen by those who import it.
-- ==
-- error: E0202.*:6:21
import "files/powers"

def main (x: i32) = not_offered x
