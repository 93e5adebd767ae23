-- `//` and `%%` apply only to integers.
-- ==
-- error: E0201.*:4:21
def main (x: f32) = x // 2
