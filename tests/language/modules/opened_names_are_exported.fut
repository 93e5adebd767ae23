-- A module exports the names that it opens, unless the `open` is local.
-- ==
-- error: E0202.*:8:20
module a = { def x = 1i32 }
module b = { open a }
module c = { local open a }

def main = b.x + c.x
