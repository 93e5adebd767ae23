//! Embedded programs on an OpenCL device, compared with the CPU.

use warpwise::{
    Acc, Array, Boundary, Context, Error, Exp, Vector, acond, awhile, enum_from, fill, generate, unit,
};

use crate::elements::{Figure, FigureExp, figures};

#[test]
fn the_device_computes_what_the_processor_does() {
    let programs = |context: Context| {
        let function = context.compile(|xs: Acc<Vector<i64>>, n: Exp<i64>| {
            let table = generate((n, n), |(i, j)| i * j - i);
            let places = xs.reader();
            let folds = (
                xs.sum(),
                table.sum(),
                xs.map(|x| (x, x * 2)).fold((1, 2), |(a, b), (c, d)| (a + c, b.max(d))),
            );
            let scans = (xs.scan(3, |x, y| x + y), xs.scan1_right(|x, y| x.max(y)));
            let counts = fill(10, 0_i64).permute(&xs, |x, y| x + y, move |i| (true, places.at(i) % 10));
            let stencil = table.stencil(Boundary::Clamp, |[[a, b, c]]: [[_; 3]; 1]| a + b * 2 + c);
            (folds, scans, (counts, stencil), (xs.filter(|x| x.is_even()), table.transpose()))
        })?;
        let run = |count: i64| {
            let xs = Array::from((0..count).map(|x| x * 7 % 31).collect::<Vec<i64>>());
            function.run(&xs, count % 40)
        };
        Ok::<_, Error>([run(0)?, run(1)?, run(777)?])
    };
    assert_eq!(programs(Context::opencl(0).unwrap()).unwrap(), programs(Context::cpu().unwrap()).unwrap());
}

#[test]
fn a_cuda_device_computes_or_says_what_is_missing() {
    let sum = |context: Context| context.run(&enum_from(5, 1).sum()).map(|sum| sum.to_vec());
    match sum(Context::cuda(0).unwrap()) {
        Ok(found) => assert_eq!(found, [15]),
        Err(Error::Device(missing)) => assert!(missing.contains("CUDA"), "{missing}"),
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn the_device_chooses_and_repeats() {
    let programs = |context: Context| {
        let xs = warpwise::use_(&Array::from_vec([3], figures())?);
        let areas = xs.map(|figure| figure.cases(|r| r * r, |w, h| w * h, || 0.0));
        let turned =
            xs.map(|f| f.cases(FigureExp::circle, |w, h| FigureExp::rectangle(h, w), FigureExp::nothing));
        let (numbers, _) = awhile(
            &(enum_from(5, 1_i64), unit(0_i64)),
            |(_, round)| round.the().lt(4),
            |(xs, round)| (xs.map(|x| x * 2), round.map(|round| round + 1)),
        );
        let chosen = acond(numbers.sum().the().gt(100), &numbers.reverse(), &numbers.take(2));
        let results: (Array<_, f32>, Array<_, Figure>, Array<_, i64>) =
            context.run(&(areas, turned, chosen))?;
        Ok::<_, Error>(results)
    };
    assert_eq!(programs(Context::opencl(0).unwrap()).unwrap(), programs(Context::cpu().unwrap()).unwrap());
}
