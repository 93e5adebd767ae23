-- `|>` and `<|` bind more loosely than the other built-in operators; `|>` is left-associative, `<|` right-associative.
-- ==
-- input { 3 }
-- output { 8 9 }
def double (x: i32) = 2 * x
def next (x: i32) = x + 1

def main (x: i32) = (x |> next |> double, next <| double <| x + 1)
