-- Values and modules are one name space: a name is defined once.
-- ==
-- error: E0210.*:5:5
module x = { def y = 1i32 }
def x = 2i32
