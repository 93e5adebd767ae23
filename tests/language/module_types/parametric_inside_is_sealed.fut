-- The parameter of an inner parametric module has the abstract type, even if the module itself knows its definition.
-- ==
-- error: E0217.*:13:27
module type ledger = {
  type money
  module fees : (rule: { val fee : money }) -> { val charge : money -> money }
}
module ledger : ledger = {
  type money = i32
  module fees (rule: { val fee : i32 }) = { def charge (x: i32) = x + rule.fee }
}

module flat = ledger.fees { def fee = 1i32 }
