//! SOACs and segmented operations.

use super::{Cursor, Parsed, Parser};
use crate::expr::{Expr, Lambda};
use crate::program::Var;
use crate::segop::{Mapping, SegDim, SegKind, SegOp};
use crate::soac::{
    FlatMap, Hist, HistOp, Partition, Reduce, Scan, Scatter, ScatterDest, Screma, Stream, StreamKind,
    WithAcc, WithAccInput,
};
use crate::types::{Operand, Type};

/// Scans, reductions, and the function after the scans.
type Folds = (Vec<Scan>, Vec<Reduce>, Option<Lambda>);

impl Parser<'_> {
    /// Parses a SOAC or segmented operation, if the word begins one.
    pub(super) fn soac(&mut self, word: &str) -> Parsed<Option<Expr>> {
        Ok(Some(match word {
            "screma" => self.screma()?,
            "partition" => self.partition()?,
            "scatter" => self.scatter()?,
            "hist" => self.hist()?,
            "stream_map" | "stream_seq" | "stream_red" => self.stream(word)?,
            "with_acc" => self.with_acc()?,
            "flatmap" => self.flat_map()?,
            "segmap" | "segred" | "segscan" | "segpart" | "segscatter" | "seghist" => self.seg_op(word)?,
            _ => return Ok(None),
        }))
    }

    /// Parses `n (a, b)`.
    fn head(&mut self) -> Parsed<(Operand, Vec<Var>)> {
        Ok((self.operand()?, self.vars()?))
    }

    /// Parses `(a, b)`.
    fn vars(&mut self) -> Parsed<Vec<Var>> {
        self.list("(", ")", |p| p.var())
    }

    fn screma(&mut self) -> Parsed<Expr> {
        let (width, inputs) = self.head()?;
        self.word("map")?;
        let map = self.lambda()?;
        let (scans, reduces, post) = self.folds()?;
        Ok(Expr::Screma(Box::new(Screma { width, inputs, map, scans, reduces, post })))
    }

    fn folds(&mut self) -> Parsed<Folds> {
        let (mut scans, mut reduces) = (Vec::new(), Vec::new());
        loop {
            let exclusive = self.eat_word("exscan");
            if !exclusive && !self.eat_word("scan") {
                break;
            }
            let (op, neutral) = self.fold_operator()?;
            scans.push(Scan { op, neutral, exclusive });
        }
        loop {
            let commutative = self.eat_word("reduce_comm");
            if !commutative && !self.eat_word("reduce") {
                break;
            }
            let (op, neutral) = self.fold_operator()?;
            reduces.push(Reduce { op, neutral, commutative });
        }
        let post = if self.eat_word("post") { Some(self.lambda()?) } else { None };
        Ok((scans, reduces, post))
    }

    /// Parses `(x, y) { ... } [neutral]`.
    fn fold_operator(&mut self) -> Parsed<(Lambda, Vec<Operand>)> {
        Ok((self.lambda()?, self.list("[", "]", |p| p.operand())?))
    }

    fn partition(&mut self) -> Parsed<Expr> {
        let (width, inputs) = self.head()?;
        self.word("classes")?;
        let (classes, lambda) = (self.count()?, self.lambda()?);
        Ok(Expr::Partition(Box::new(Partition { width, inputs, classes, lambda })))
    }

    fn scatter(&mut self) -> Parsed<Expr> {
        let (width, inputs) = self.head()?;
        let dests = self.dests()?;
        Ok(Expr::Scatter(Box::new(Scatter { width, inputs, lambda: self.lambda()?, dests })))
    }

    fn dests(&mut self) -> Parsed<Vec<ScatterDest>> {
        self.word("into")?;
        self.list("(", ")", |p| {
            let array = p.var()?;
            if p.eat_word("segments") {
                return Ok(ScatterDest::segments(array));
            }
            p.word("rank")?;
            Ok(ScatterDest::at(array, p.count()?))
        })
    }

    fn hist(&mut self) -> Parsed<Expr> {
        let (width, inputs) = self.head()?;
        self.word("map")?;
        let (lambda, ops) = (self.lambda()?, self.hist_ops()?);
        Ok(Expr::Hist(Box::new(Hist { width, inputs, lambda, ops })))
    }

    fn hist_ops(&mut self) -> Parsed<Vec<HistOp>> {
        let mut ops = Vec::new();
        while self.eat_word("into") {
            let dests = self.vars()?;
            self.word("rank")?;
            let rank = self.count()?;
            self.word("with")?;
            let (op, neutral) = self.fold_operator()?;
            ops.push(HistOp { dests, rank, op, neutral });
        }
        Ok(ops)
    }

    fn stream(&mut self, word: &str) -> Parsed<Expr> {
        let (width, inputs) = self.head()?;
        self.word("accs")?;
        let accs = self.list("(", ")", |p| p.operand())?;
        let kind = match word {
            "stream_map" => StreamKind::Map,
            "stream_seq" => StreamKind::Seq,
            _ => {
                self.word("combine")?;
                StreamKind::Red(self.lambda()?)
            }
        };
        self.word("chunk")?;
        Ok(Expr::Stream(Box::new(Stream { kind, width, inputs, accs, lambda: self.lambda()? })))
    }

    fn with_acc(&mut self) -> Parsed<Expr> {
        let inputs = self.list("(", ")", |p| {
            let (shape, arrays) = (p.shape()?, p.vars()?);
            let op = if p.eat_word("with") { Some(p.fold_operator()?) } else { None };
            Ok(WithAccInput { shape, arrays, op })
        })?;
        Ok(Expr::WithAcc(Box::new(WithAcc { inputs, lambda: self.lambda()? })))
    }

    fn flat_map(&mut self) -> Parsed<Expr> {
        let (width, inputs) = self.head()?;
        self.word("rows")?;
        let results = self.list("(", ")", |p| p.ty())?;
        Ok(Expr::FlatMap(Box::new(FlatMap { width, inputs, results, lambda: self.lambda()? })))
    }

    fn seg_op(&mut self, word: &str) -> Parsed<Expr> {
        let dims = self.list("(", ")", |p| {
            let name = p.new_name()?;
            p.mark("<")?;
            let extent = p.operand()?;
            p.mark(":")?;
            Ok((name, extent, p.mapping()?))
        })?;
        let kind = self.seg_kind(word)?;
        let scope = self.scope.log.len();
        let space = dims.into_iter().map(|(name, extent, mapping)| {
            let index = self.bind(name, Type::I64);
            SegDim { index, extent, mapping }
        });
        let space = space.collect();
        let body = self.body()?;
        self.scope.leave(scope);
        Ok(Expr::Seg(Box::new(SegOp { space, kind, body })))
    }

    fn seg_kind(&mut self, word: &str) -> Parsed<SegKind> {
        Ok(match word {
            "segred" => match self.folds()? {
                (scans, reduces, None) if scans.is_empty() => SegKind::Reduce { reduces },
                _ => return Err(self.error("a `segred` has reductions and nothing else")),
            },
            "segscan" => {
                let (scans, reduces, post) = self.folds()?;
                SegKind::Scan { scans, reduces, post }
            }
            "segpart" => {
                self.word("classes")?;
                SegKind::Partition { classes: self.count()? }
            }
            "segscatter" => SegKind::Scatter { dests: self.dests()? },
            "seghist" => SegKind::Hist { ops: self.hist_ops()? },
            _ => SegKind::Map,
        })
    }

    fn mapping(&mut self) -> Parsed<Mapping> {
        let words = [
            ("lane", Mapping::Lane),
            ("seq", Mapping::Seq),
            ("grid", Mapping::Grid),
            ("group", Mapping::Group),
            ("thread", Mapping::Thread),
        ];
        if self.eat_word("task") {
            return Ok(if self.eat_word("lane") { Mapping::TaskLane } else { Mapping::Task });
        }
        match words.iter().find(|(word, _)| self.eat_word(word)) {
            Some((_, mapping)) => Ok(*mapping),
            None => Err(self.expected("a mapping such as `task`, `lane` or `seq`")),
        }
    }
}
