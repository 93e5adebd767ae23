-- The type of a record must be known where one of its fields is projected.
-- ==
-- error: E0207.*:4:17
def first_field r = r.first
