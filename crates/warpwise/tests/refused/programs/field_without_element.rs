use warpwise::Elt;

#[derive(Clone, Elt)]
pub struct Text {
    words: String,
    //~ `String` cannot be an element of an array
}
