-- A type that hides sizes cannot be the element type of an array, whose rows all have the same size.
-- ==
-- error: E0211.*:6:14
module row : { type~ row val of : i64 -> row } = { type~ row = []i32 def of n = replicate n 1i32 }

def main n = [row.of n, row.of n]
