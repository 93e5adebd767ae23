-- limit: holes

def f (x: i32) : i32 = ???
