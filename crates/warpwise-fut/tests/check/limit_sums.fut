-- limit: sum types

type option = #none | #some i32
def f (x: option) = x
