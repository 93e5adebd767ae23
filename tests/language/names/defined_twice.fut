-- A file may define a name only once.
-- ==
-- error: E0210.*:5:5
def answer = 42i32
def answer = 43i32
