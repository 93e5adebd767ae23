import "right"

type bag [n] = {size: i64, items: [n]i32}
entry g [k][n] (bags: [k](bag [n])) : i64 = i64.sum (map (.size) bags)
