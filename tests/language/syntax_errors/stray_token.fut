-- Only declarations are allowed at the top level of a file.
-- ==
-- error: E0110.*:5:1
def first = 1i32
then 2
