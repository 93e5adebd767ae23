-- limit: recursion

def f (x: i32) : i32 = f x
