-- Such a type is no type of elements: rows of an array have one size.
-- ==
-- error: E0211.*:6:14
module row : { type~ row val of : i64 -> row } = { type~ row = []i32 def of n = replicate n 1i32 }

def main n = [row.of n, row.of n]
