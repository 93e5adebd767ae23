-- A `local` definition is not visible outside its module.
-- ==
-- error: E0202.*:9:30
module m = {
  local def secret = 42i32
  def open_secret = secret
}

def main = m.open_secret + m.secret
