-- In the common namespace of values and modules, a name is defined only once.
-- ==
-- error: E0210.*:5:5
module x = { def y = 1i32 }
def x = 2i32
