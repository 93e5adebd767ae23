-- `&&` and `||` do not always evaluate both operands, which no function can do: they cannot be defined anew.
-- ==
-- error: E0223.*:4:6
def (&&) (a: bool) (_: bool) = a
