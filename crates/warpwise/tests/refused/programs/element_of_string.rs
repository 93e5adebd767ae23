use warpwise::Vector;

pub fn words() -> Vector<String> {
    Vector::from(vec!["a".to_string()])
    //~ `String` cannot be an element of an array
}
