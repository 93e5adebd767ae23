-- The indices of `scatter` must be of type `i64`.
-- ==
-- error: E0201.*:4:52
def main (dest: *[]i32) (is: []i32) = scatter dest is is
