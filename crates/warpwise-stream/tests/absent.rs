//! Formats whose feature is off: the error names the feature, and no file is created. With all features this file is empty.

#![cfg(not(all(
    feature = "arrow",
    feature = "csv",
    feature = "gzip",
    feature = "parquet",
    feature = "wav"
)))]

use warpwise_prim::ValueType;
use warpwise_stream::sink;
use warpwise_stream::source::{self, SourceOptions, Wanted};

/// Endings of files that are read, and the features they need.
const READ: &[(&str, &str, bool)] = &[
    ("csv", "csv", cfg!(feature = "csv")),
    ("tsv", "csv", cfg!(feature = "csv")),
    ("wav", "wav", cfg!(feature = "wav")),
    ("arrow", "arrow", cfg!(feature = "arrow")),
    ("parquet", "parquet", cfg!(feature = "parquet")),
    ("raw.gz", "gzip", cfg!(feature = "gzip")),
];

/// Endings of files that are written, and the features they need.
const WRITTEN: &[(&str, &str, bool)] =
    &[("arrow", "arrow", cfg!(feature = "arrow")), ("parquet", "parquet", cfg!(feature = "parquet"))];

#[test]
fn what_is_read_names_the_feature_that_is_missing() {
    let folder = tempfile::tempdir().unwrap();
    for (ending, feature, _) in READ.iter().filter(|(_, _, there)| !there) {
        let path = folder.path().join(format!("numbers.{ending}"));
        std::fs::write(&path, "1\n").unwrap();
        let wanted = Wanted { scalar: ValueType::F32, rank: 0 };
        let opened = source::open(&path, wanted, &SourceOptions::default());
        let error = opened.err().unwrap_or_else(|| panic!("{ending} was read"));
        assert!(error.starts_with(&path.display().to_string()), "{error}");
        assert!(error.ends_with(&format!("without the feature `{feature}`")), "{error}");
    }
}

#[test]
fn what_is_written_names_the_feature_and_makes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    for (ending, feature, _) in WRITTEN.iter().filter(|(_, _, there)| !there) {
        let path = folder.path().join(format!("numbers.{ending}"));
        for error in [sink::create(&path, None).err(), sink::create_partial(&path, None).err()] {
            let error = error.unwrap_or_else(|| panic!("{ending} was created"));
            assert!(error.ends_with(&format!("without the feature `{feature}`")), "{error}");
        }
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn raw_data_needs_no_feature() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("numbers.raw");
    std::fs::write(&path, [0; 8]).unwrap();
    let wanted = Wanted { scalar: ValueType::F32, rank: 0 };
    let opened =
        source::open(&path, wanted, &SourceOptions::default()).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(opened.left(), Some(2));
}
