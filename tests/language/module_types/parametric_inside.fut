-- A module type may specify a parametric module, whose type may refer to abstract types.
-- ==
-- input { 5 }
-- output { 6 }
module type ledger = {
  type money
  val money : i32 -> money
  val amount : money -> i32
  module fees : (rule: { val fee : money }) -> { val charge : money -> money }
}
module ledger : ledger = {
  type money = i32
  def money (x: i32) = x
  def amount (x: i32) = x
  module fees (rule: { val fee : i32 }) = { def charge (x: i32) = x + rule.fee }
}
module flat = ledger.fees { def fee = ledger.money 1 }

def main (x: i32) = ledger.amount (flat.charge (ledger.money x))
