//! SOACs and segmented operations.

use std::fmt::Write;

use super::Printer;
use crate::expr::Lambda;
use crate::program::Var;
use crate::segop::{Mapping, SegKind, SegOp};
use crate::soac::{
    FlatMap, Hist, HistOp, Partition, Reduce, Scan, Scatter, ScatterDest, Screma, Stream, StreamKind, WithAcc,
};
use crate::types::Operand;

impl Printer<'_> {
    pub(super) fn screma(&mut self, screma: &Screma) {
        self.soac_head("screma", screma.width, &screma.inputs);
        if screma.scans.is_empty() && screma.reduces.is_empty() && screma.post.is_none() {
            self.put(" map ");
            self.lambda(&screma.map);
            return;
        }
        self.indent += 1;
        self.part_line();
        self.put("map ");
        self.lambda(&screma.map);
        self.folds(&screma.scans, &screma.reduces, screma.post.as_ref());
        self.indent -= 1;
    }

    /// Writes `name n (a, b)`.
    fn soac_head(&mut self, name: &str, width: Operand, inputs: &[Var]) {
        self.put(name);
        self.put(" ");
        self.operand(width);
        self.put(" ");
        self.var_list(inputs);
    }

    /// Starts a new line, or writes a space in a statement's head.
    fn part_line(&mut self) {
        if self.elide {
            self.put(" ");
        } else {
            self.line();
        }
    }

    /// Writes scans, reductions and the function after them, each on a line of its own.
    fn folds(&mut self, scans: &[Scan], reduces: &[Reduce], post: Option<&Lambda>) {
        for Scan { op, neutral, exclusive } in scans {
            self.part_line();
            self.operator(if *exclusive { "exscan " } else { "scan " }, op, neutral);
        }
        for Reduce { op, neutral, commutative } in reduces {
            self.part_line();
            self.operator(if *commutative { "reduce_comm " } else { "reduce " }, op, neutral);
        }
        if let Some(post) = post {
            self.part_line();
            self.put("post ");
            self.lambda(post);
        }
    }

    /// Writes `word (x, y) { ... } [neutral]`.
    fn operator(&mut self, word: &str, op: &Lambda, neutral: &[Operand]) {
        self.put(word);
        self.lambda(op);
        self.put(" [");
        self.operand_list(neutral);
        self.put("]");
    }

    pub(super) fn partition(&mut self, partition: &Partition) {
        self.soac_head("partition", partition.width, &partition.inputs);
        let _ = write!(self.out, " classes {} ", partition.classes);
        self.lambda(&partition.lambda);
    }

    pub(super) fn scatter(&mut self, scatter: &Scatter) {
        self.soac_head("scatter", scatter.width, &scatter.inputs);
        self.dests(&scatter.dests);
        self.put(" ");
        self.lambda(&scatter.lambda);
    }

    /// Writes ` into (a rank 1, b rank 2)`.
    fn dests(&mut self, dests: &[ScatterDest]) {
        self.put(" into (");
        self.list(dests, |p, dest| {
            p.var(dest.array);
            match dest.segments {
                true => p.put(" segments"),
                false => {
                    let _ = write!(p.out, " rank {}", dest.rank);
                }
            }
        });
        self.put(")");
    }

    pub(super) fn hist(&mut self, hist: &Hist) {
        self.soac_head("hist", hist.width, &hist.inputs);
        self.put(" map ");
        self.lambda(&hist.lambda);
        self.indent += 1;
        self.hist_ops(&hist.ops);
        self.indent -= 1;
    }

    /// Writes lines `into (a, b) rank 1 with (x, y) { ... } [neutral]`.
    fn hist_ops(&mut self, ops: &[HistOp]) {
        for HistOp { dests, rank, op, neutral } in ops {
            self.part_line();
            self.put("into ");
            self.var_list(dests);
            let _ = write!(self.out, " rank {rank} ");
            self.operator("with ", op, neutral);
        }
    }

    pub(super) fn stream(&mut self, stream: &Stream) {
        let name = match &stream.kind {
            StreamKind::Map => "stream_map",
            StreamKind::Red(_) => "stream_red",
            StreamKind::Seq => "stream_seq",
        };
        self.soac_head(name, stream.width, &stream.inputs);
        self.put(" accs (");
        self.operand_list(&stream.accs);
        self.put(") ");
        match &stream.kind {
            StreamKind::Map | StreamKind::Seq => {}
            StreamKind::Red(op) => {
                self.put("combine ");
                self.lambda(op);
                self.put(" ");
            }
        }
        self.put("chunk ");
        self.lambda(&stream.lambda);
    }

    pub(super) fn with_acc(&mut self, with_acc: &WithAcc) {
        self.put("with_acc (");
        self.list(&with_acc.inputs, |p, input| {
            p.shape_or_empty(&input.shape);
            p.put(" ");
            p.var_list(&input.arrays);
            if let Some((op, neutral)) = &input.op {
                p.operator(" with ", op, neutral);
            }
        });
        self.put(") ");
        self.lambda(&with_acc.lambda);
    }

    pub(super) fn flat_map(&mut self, flat_map: &FlatMap) {
        self.soac_head("flatmap", flat_map.width, &flat_map.inputs);
        self.put(" rows (");
        self.list(&flat_map.results, |p, ty| p.ty(ty));
        self.put(") ");
        self.lambda(&flat_map.lambda);
    }

    pub(super) fn seg_op(&mut self, op: &SegOp) {
        self.put(match &op.kind {
            SegKind::Map => "segmap",
            SegKind::Reduce { .. } => "segred",
            SegKind::Scan { .. } => "segscan",
            SegKind::Partition { .. } => "segpart",
            SegKind::Scatter { .. } => "segscatter",
            SegKind::Hist { .. } => "seghist",
        });
        self.put(" (");
        self.list(&op.space, |p, dim| {
            p.var(dim.index);
            p.put(" < ");
            p.operand(dim.extent);
            p.put(": ");
            p.put(mapping_text(dim.mapping));
        });
        self.put(")");
        self.indent += 1;
        let folds = self.seg_kind(&op.kind);
        if folds {
            self.part_line();
        } else {
            self.indent -= 1;
            self.put(" ");
        }
        self.body(&op.body);
        self.indent -= usize::from(folds);
    }

    /// Writes the parts of a kind; returns whether they are on lines of their own.
    fn seg_kind(&mut self, kind: &SegKind) -> bool {
        match kind {
            SegKind::Map => return false,
            SegKind::Reduce { reduces } => self.folds(&[], reduces, None),
            SegKind::Scan { scans, reduces, post } => self.folds(scans, reduces, post.as_ref()),
            SegKind::Partition { classes } => {
                let _ = write!(self.out, " classes {classes}");
                return false;
            }
            SegKind::Scatter { dests } => {
                self.dests(dests);
                return false;
            }
            SegKind::Hist { ops } => self.hist_ops(ops),
        }
        true
    }
}

/// Returns the text of a mapping.
fn mapping_text(mapping: Mapping) -> &'static str {
    match mapping {
        Mapping::Task => "task",
        Mapping::Lane => "lane",
        Mapping::TaskLane => "task lane",
        Mapping::Seq => "seq",
        Mapping::Grid => "grid",
        Mapping::Group => "group",
        Mapping::Thread => "thread",
    }
}
