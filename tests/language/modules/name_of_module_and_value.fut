-- Modules and values share one namespace.
-- ==
-- error: E0210.*:6:5
module counter = { def start = 1i32 }

def counter = 2i32
