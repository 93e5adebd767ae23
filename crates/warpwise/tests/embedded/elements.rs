//! Structs, enums, tuples and arrays as elements.

use warpwise::{Array, Complex, ComplexExp, Context, Elt, Exp, IntoExp, V2, V2Exp, V3, V3Exp, use_};

use crate::{contexts, run};

#[derive(Clone, Copy, PartialEq, Debug, Elt)]
pub(crate) enum Figure {
    Circle(f32),
    Rectangle { width: f32, height: f32 },
    Nothing,
}

#[derive(Clone, Copy, PartialEq, Debug, Elt)]
struct Named {
    figure: Figure,
    at: (f32, [i32; 2]),
    initial: char,
}

#[derive(Clone, Copy, PartialEq, Debug, Elt)]
struct Pair<A: Elt, B: Elt>(A, B);

pub(crate) fn figures() -> Vec<Figure> {
    vec![Figure::Circle(2.0), Figure::Rectangle { width: 2.0, height: 3.0 }, Figure::Nothing]
}

#[test]
fn enums_are_taken_apart_by_cases() {
    let xs = use_(&Array::from_vec([3], figures()).unwrap());
    assert_eq!(run(&xs).to_vec(), figures());
    let areas = xs.map(|figure| figure.cases(|r| r * r * 3.0, |w, h| w * h, || 0.0));
    assert_eq!(run(&areas).to_vec(), [12.0, 6.0, 0.0]);
    let turned = xs
        .map(|figure| figure.cases(FigureExp::circle, |w, h| FigureExp::rectangle(h, w), FigureExp::nothing));
    assert_eq!(run(&turned).to_vec()[1], Figure::Rectangle { width: 3.0, height: 2.0 });
    assert_eq!(run(&turned).to_vec()[2], Figure::Nothing);
}

#[test]
fn structs_of_everything_come_back() {
    let named = |figure| Named { figure, at: (1.5, [1, -2]), initial: 'é' };
    let all: Vec<Named> = figures().into_iter().map(named).collect();
    let xs = use_(&Array::from_vec([3], all.clone()).unwrap());
    assert_eq!(run(&xs).to_vec(), all);
    let moved = xs.map(|x| {
        let (place, [i, j]) = x.at;
        NamedExp { at: (place + 1.0, [j, i]), ..x }
    });
    let expected = Named { figure: Figure::Circle(2.0), at: (2.5, [-2, 1]), initial: 'é' };
    assert_eq!(run(&moved).to_vec()[0], expected);
}

/// Columns are written and read as a whole, in the order of the components.
#[test]
fn nested_elements_are_stored_by_components() {
    let make = |i: i32| ((i as u8, i % 2 == 0), [(i, 'a'), (-i, 'b')], Pair((), Some(f64::from(i))));
    for count in [0, 1, 1000] {
        let all: Vec<_> = (0..count).map(make).collect();
        let array = Array::from_vec([all.len()], all.clone()).unwrap();
        assert_eq!(array.to_vec(), all);
        assert_eq!(run(&use_(&array).compute()).into_iter().collect::<Vec<_>>(), all);
        assert_eq!(array.get([usize::MAX]), None);
        assert_eq!(Array::from_vec([all.len()], vec![(); all.len()]).unwrap().len(), all.len());
    }
}

#[test]
fn generic_structs_have_generic_views() {
    let xs = use_(&Array::from_vec([2], vec![Pair(1_u8, true), Pair(255, false)]).unwrap());
    let swapped = xs.map(|PairExp(number, flag)| PairExp::<bool, u8>(!flag, number + 1));
    assert_eq!(run(&swapped).to_vec(), [Pair(false, 2), Pair(true, 0)]);
}

#[test]
fn scalars_of_every_type_come_back() {
    fn check<E: Elt + PartialEq + std::fmt::Debug>(values: Vec<E>) {
        let xs = use_(&Array::from_vec([values.len()], values.clone()).unwrap());
        assert_eq!(run(&xs.compute()).to_vec(), values);
        assert_eq!(run(&xs.map(|x| x.into_exp())).to_vec(), values);
        let single = run(&Exp::constant(values[0].clone()));
        assert_eq!(single, values[0]);
    }
    check(vec![true, false]);
    check(vec![i8::MIN, 0, i8::MAX]);
    check(vec![i16::MIN, 0, i16::MAX]);
    check(vec![i32::MIN, 0, i32::MAX]);
    check(vec![i64::MIN, 0, i64::MAX]);
    check(vec![u8::MIN, u8::MAX]);
    check(vec![u16::MIN, u16::MAX]);
    check(vec![u32::MIN, u32::MAX]);
    check(vec![u64::MIN, u64::MAX]);
    check(vec![usize::MIN, usize::MAX]);
    check(vec![isize::MIN, 0, isize::MAX]);
    check(vec![warpwise::f16::MAX, warpwise::f16::from_f32(-0.5)]);
    check(vec![f32::MAX, -0.5, f32::INFINITY]);
    check(vec![f64::MAX, -0.5, f64::INFINITY]);
    check(vec!['a', '\u{10ffff}']);
    check(vec![Some((1_u8, 'x')), None]);
    check(vec![Complex::new(1.0_f32, -2.0)]);
    check(vec![((1_u8, [2.0_f32, 3.0]), -4_i64)]);
}

#[test]
fn constants_of_any_element_type_are_expressions() {
    let filled = warpwise::fill(2, Figure::Circle(1.5));
    assert_eq!(run(&filled).to_vec(), [Figure::Circle(1.5); 2]);
    let chosen = warpwise::generate(3, |i| warpwise::cond(i.eq(1), Pair(1_u8, true), Pair(0_u8, false)));
    assert_eq!(run(&chosen).to_vec()[1], Pair(1, true));
}

#[test]
fn elements_of_several_parts_are_compared() {
    let xs = use_(&Array::from(figures()));
    let circles = xs.map(|figure| warpwise::equal(figure, Figure::Circle(2.0)));
    assert_eq!(run(&circles).to_vec(), [true, false, false]);
    let same = xs.map(|figure| {
        warpwise::equal(figure, figure.cases(FigureExp::circle, FigureExp::rectangle, FigureExp::nothing))
    });
    assert_eq!(run(&same).to_vec(), [true; 3]);
    assert_eq!(run(&xs.filter(|figure| !warpwise::equal(figure, Figure::Nothing))).len(), 2);
    assert!(run(&warpwise::equal((), ())));
    let pairs = [(1, -0.0), (1, 0.0), (0, 7.0), (1, f64::NAN), (1, -1.0)];
    let all = use_(&Array::from(pairs)).replicate((warpwise::All, 5));
    let table = all.zip_with(&all.transpose(), |x, y| warpwise::less(x, y));
    let before = |x: (i32, f64), y: (i32, f64)| x.0.cmp(&y.0).then(x.1.total_cmp(&y.1)).is_lt();
    let expected = Array::from_fn([5, 5], |[i, j]| before(pairs[i], pairs[j])).unwrap();
    assert_eq!(run(&table), expected);
}

#[test]
fn complex_functions_agree_with_each_other() {
    let numbers = vec![Complex::new(0.5, -1.25), Complex::new(-2.0, 0.75), Complex::new(1e-3, 3.0)];
    let xs = use_(&Array::from(numbers));
    let distance = |x: ComplexExp<f64>, y: ComplexExp<f64>| (x - y).abs() / y.abs();
    let two = || ComplexExp::new(2.0, 0.0);
    let errors = xs.map(|z| {
        let one = (z.sin() * z.sin()) + (z.cos() * z.cos());
        let hyperbolic = z.cosh() * z.cosh() - z.sinh() * z.sinh();
        [
            distance(z.ln().exp(), z),
            distance(z.pow(two()), z * z),
            distance(one, ComplexExp::new(1.0, 0.0)),
            distance(hyperbolic, ComplexExp::new(1.0, 0.0)),
            distance(z.tan() * z.cos(), z.sin()),
            distance(z.tanh() * z.cosh(), z.sinh()),
            distance(z.recip() * z, ComplexExp::new(1.0, 0.0)),
        ]
    });
    for context in contexts() {
        for errors in context.run(&errors).unwrap().to_vec() {
            assert!(errors.iter().all(|&error| error < 1e-10), "{errors:?}");
        }
    }
    let zero = ComplexExp::<f64>::new(0.0, 0.0);
    let powers = (zero.pow(two()).re, zero.pow(ComplexExp::new(0.0, 0.0)).re);
    assert_eq!(Context::interpreter().run(&powers.0).unwrap(), 0.0);
    assert_eq!(Context::interpreter().run(&powers.1).unwrap(), 1.0);
}

#[test]
fn vectors_have_the_arithmetic_of_points() {
    let points = vec![V3::new(1.0_f32, 2.0, 3.0), V3::new(-1.0, 0.5, 4.0)];
    let xs = use_(&Array::from(points.clone()));
    let moved = run(&xs.map(|p| (p + V3::new(1.0, 1.0, 1.0)) * 2.0 - p / 2.0 + -p));
    let expected = |x: f32| (x + 1.0) * 2.0 - x / 2.0 - x;
    let host = points.iter().map(|p| V3::new(expected(p.x), expected(p.y), expected(p.z)));
    assert_eq!(moved.to_vec(), host.collect::<Vec<_>>());
    let sums = run(&xs.fold1(|p, q| p + q));
    assert_eq!(sums.to_vec(), [V3::new(0.0, 2.5, 7.0)]);
    let right_angle = run(&xs.map(|p| p.cross(V3Exp::new(1.0, 1.0, 0.0)).dot(p)));
    assert!(right_angle.to_vec().iter().all(|x| x.abs() < 1e-5));
    let planes = run(&xs.map(|p| {
        let mut plane = V2Exp::new(p.x, p.y);
        plane += V2::new(1.0, 0.0);
        plane *= p.z;
        plane
    }));
    assert_eq!(planes.to_vec()[0], V2::new(6.0, 6.0));
    assert_eq!(<[f32; 3]>::from(points[0]), [1.0, 2.0, 3.0]);
}
