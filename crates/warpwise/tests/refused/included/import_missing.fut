import "missing"
entry f = 1i32
