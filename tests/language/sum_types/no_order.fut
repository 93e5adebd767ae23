-- Sums have no order.
-- ==
-- error: E0201.*:6:28
type size = #small | #large

def main (x: size): bool = x < #large
