-- `--` begins a comment that extends to the end of the line; `-- |` documents the declaration that follows.
-- ==
-- input { 3 }
-- output { 4 }

-- | One more.
def successor (x: i32) = x + 1 -- of an i32

def main (x: i32) = -- a comment may stand anywhere
  successor -- even here
  x
