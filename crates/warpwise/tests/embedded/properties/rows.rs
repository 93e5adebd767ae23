//! Operations along the rows of matrices.

use warpwise::{Acc, Array, Matrix, unit};

use super::{check, devices, matrix};

#[test]
fn folds_scans_and_filters_of_rows() {
    for context in devices() {
        let function = context.compile(|xs: Acc<Matrix<i64>>| {
            let folds = (xs.fold(5, |x, y| x + y), xs.fold_all(5, |x, y| x + y), xs.any(|x| x.gt(8)));
            let scans =
                (xs.scan(5, |x, y| x + y), xs.prescan_right(5, |x, y| x + y), xs.scan1(|x, y| x.max(y)));
            let last = xs.map(|x| x + 1).fold_all(7, |x, y| warpwise::cond(y.eq(0), x, y));
            let folds = (folds, last, unit(xs.fold_all(0, |x, y| x.max(y)).the()).fold_all(1, |x, y| x + y));
            (folds, scans, xs.filter_counted(|x| x.is_even()))
        });
        let function = function.unwrap();
        check(matrix(), |((n, m), xs)| {
            let array = Array::from_vec([n, m], xs.clone()).unwrap();
            let ((folds, last, greatest), scans, (kept, counts)) = function.run(&array).unwrap();
            assert_eq!(last.to_vec(), [xs.iter().map(|x| x + 1).rfind(|x| *x != 0).unwrap_or(7)]);
            assert_eq!(greatest.to_vec(), [1 + xs.iter().copied().max().unwrap_or(0).max(0)]);
            let rows: Vec<Vec<i64>> = (0..n).map(|row| xs[row * m..(row + 1) * m].to_vec()).collect();
            let sums = |row: &Vec<i64>| 5 + row.iter().sum::<i64>();
            assert_eq!(folds.0.to_vec(), rows.iter().map(sums).collect::<Vec<_>>());
            assert_eq!(folds.1.to_vec(), [5 + xs.iter().sum::<i64>()]);
            assert_eq!(folds.2.to_vec(), [xs.iter().any(|&x| x > 8)]);
            assert_eq!(scans.0.extents(), [n, m + 1]);
            let whole = rows.iter().flat_map(|row| (0..=m).map(|to| 5 + row[..to].iter().sum::<i64>()));
            assert_eq!(scans.0.to_vec(), whole.collect::<Vec<_>>());
            let after =
                rows.iter().flat_map(|row| (0..m).map(|from| 5 + row[from + 1..].iter().sum::<i64>()));
            assert_eq!(scans.1.to_vec(), after.collect::<Vec<_>>());
            let maxima = rows.iter().flat_map(|row| (1..=m).map(|to| *row[..to].iter().max().unwrap()));
            assert_eq!(scans.2.to_vec(), maxima.collect::<Vec<_>>());
            let even = |x: &i64| x % 2 == 0;
            assert_eq!(kept.to_vec(), xs.iter().copied().filter(even).collect::<Vec<_>>());
            let count = |row: &Vec<i64>| row.iter().filter(|x| even(x)).count() as i64;
            assert_eq!(counts.to_vec(), rows.iter().map(count).collect::<Vec<_>>());
        });
    }
}

#[test]
fn views_of_matrices() {
    for context in devices() {
        let function = context.compile(|xs: Acc<Matrix<i64>>| {
            let turned = (xs.transpose(), xs.reverse(), xs.reverse_on(0));
            let parts = (xs.take(3), xs.skip(2), xs.skip_on(0, 1), xs.slit(1, 2));
            let joined = (xs.concat(&xs.take(1)), xs.map(|x| x + 1).transpose().map(|x| x * 2));
            (turned, parts, joined, xs.replicate((warpwise::All, 2, warpwise::All)))
        });
        let function = function.unwrap();
        check(matrix(), |((n, m), xs)| {
            let array = Array::from_vec([n, m], xs.clone()).unwrap();
            let at = |i: usize, j: usize| xs[i * m + j];
            let table = |rows: usize, columns: usize, f: &dyn Fn(usize, usize) -> i64| {
                let elements = (0..rows).flat_map(|i| (0..columns).map(move |j| (i, j)));
                let elements = elements.map(|(i, j)| f(i, j)).collect();
                Array::from_vec([rows, columns], elements).unwrap()
            };
            let (turned, parts, joined, repeated) = function.run(&array).unwrap();
            assert_eq!(turned.0, table(m, n, &|i, j| at(j, i)));
            assert_eq!(turned.1, table(n, m, &|i, j| at(i, m - 1 - j)));
            assert_eq!(turned.2, table(n, m, &|i, j| at(n - 1 - i, j)));
            assert_eq!(parts.0, table(n, m.min(3), &at));
            assert_eq!(parts.1, table(n, m.saturating_sub(2), &|i, j| at(i, j + 2)));
            assert_eq!(parts.2, table(n.saturating_sub(1), m, &|i, j| at(i + 1, j)));
            assert_eq!(parts.3, table(n, m.saturating_sub(1).min(2), &|i, j| at(i, j + 1)));
            assert_eq!(joined.0, table(n, m + m.min(1), &|i, j| if j < m { at(i, j) } else { at(i, 0) }));
            assert_eq!(joined.1, table(m, n, &|i, j| (at(j, i) + 1) * 2));
            let expected =
                (0..n).flat_map(|i| (0..2 * m).map(move |j| (i, j % m.max(1)))).map(|(i, j)| at(i, j));
            assert_eq!((repeated.extents(), repeated.to_vec()), ([n, 2, m], expected.collect()));
        });
    }
}
