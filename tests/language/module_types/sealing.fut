-- A module with a module type exports what the type lists, and nothing else.
-- ==
-- error: E0202.*:7:24
module type counter = { val start : i32 }
module m : counter = { def start = 0i32 def hidden = 1i32 }

def main = m.start + m.hidden
