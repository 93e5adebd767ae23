-- An abstract type may be defined by a module that the module type specifies only later.
-- ==
-- input { 7 }
-- output { 8 }
module type store = {
  type key
  module keys : { type t = key val next : t -> t val number : t -> i32 val start : i32 -> t }
}
module counted : store = {
  module keys = {
    type t = {number: i32}
    def start (number: i32) = {number}
    def next (key: t) = key with number = key.number + 1
    def number (key: t) = key.number
  }
  type key = keys.t
}

def advance (key: counted.key) : counted.key = counted.keys.next key
def main (x: i32) = counted.keys.number (advance (counted.keys.start x))
