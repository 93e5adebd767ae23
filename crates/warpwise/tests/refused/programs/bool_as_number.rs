use warpwise::Exp;

pub fn add(x: Exp<bool>) -> Exp<bool> {
    x + x
    //~ cannot add `Exp<bool>` to `Exp<bool>`
}
