-- For the programs of this chapter: a file with an entry point.

entry successor (x: i32) = x + 1
