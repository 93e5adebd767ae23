-- For the programs of this chapter: it imports a file of the folder above.

import "../powers"

def cube_and_one (x: i32) = cube x + 1
