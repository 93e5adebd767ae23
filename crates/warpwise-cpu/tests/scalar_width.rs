//! A target without vectors is one that can be asked for.

#[test]
fn width_one_means_no_vectors() {
    let target = warpwise_cpu::target_with_width(1).expect("any machine can do without vectors");
    assert!(!target.has_vectors());
    assert!(warpwise_cpu::target_with_width(2).is_err());
}
