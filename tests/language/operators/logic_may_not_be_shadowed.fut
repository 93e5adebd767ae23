-- `&&` and `||` cannot be redefined, because no function can leave an operand unevaluated.
-- ==
-- error: E0223.*:4:6
def (&&) (a: bool) (_: bool) = a
