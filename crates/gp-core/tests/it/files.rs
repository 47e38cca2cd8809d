//! Files: whole or refused.

use crate::support::{bits, model};
use gp_core::{Format, GpError, Params, Units};
use proptest::prelude::*;
use std::path::Path;

const FORMAT: Format = Format { name: "taut-test", version: 3 };

fn content() -> (Params, Vec<f64>) {
    (Params::new(&model(), Units::Standardised), vec![0.1, -0.0, 1e-310, 1.0 / 3.0, 6.02e23])
}

fn written(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("model.json");
    FORMAT.write(&path, &content()).unwrap();
    path
}

fn read(path: &Path) -> Result<(Params, Vec<f64>), GpError> {
    FORMAT.read(path)
}

#[test]
fn what_is_written_comes_back_bit_for_bit() {
    let folder = tempfile::tempdir().unwrap();
    let (params, numbers) = read(&written(folder.path())).unwrap();
    assert_eq!(params, content().0);
    assert_eq!(bits(&numbers), bits(&content().1));
}

#[test]
fn a_newer_version_is_refused_with_both_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let newer = Format { version: 2, ..FORMAT };
    let message = newer.read::<(Params, Vec<f64>)>(&path).unwrap_err().to_string();
    assert!(message.contains("version 3") && message.contains("version 2"), "{message}");
    assert!(message.starts_with(&path.display().to_string()), "{message}");
}

#[test]
fn a_missing_file_is_named() {
    let message = read(Path::new("no/such/model.json")).unwrap_err().to_string();
    assert!(message.starts_with("cannot read no/such/model.json: "), "{message}");
}

#[test]
fn a_failed_write_leaves_the_old_file() {
    struct Failing;
    impl serde::Serialize for Failing {
        fn serialize<S: serde::Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
            Err(serde::ser::Error::custom("broken half way"))
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    assert!(matches!(FORMAT.write(&path, &Failing), Err(GpError::Io { action: "write", .. })));
    assert!(read(&path).is_ok());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_file_cut_off_anywhere_is_refused(part in 0.0..1.0f64) {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path());
        let text = std::fs::read(&path).unwrap();
        // Without its final newline a file is still whole.
        let cut = (part * (text.len() - 1) as f64) as usize;
        std::fs::write(&path, &text[..cut]).unwrap();
        let message = read(&path).unwrap_err().to_string();
        prop_assert!(message.contains("cut off"), "{message}");
    }

    #[test]
    fn noise_is_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("model.json");
        std::fs::write(&path, bytes).unwrap();
        let refused = matches!(read(&path), Err(GpError::BadFile { .. }));
        prop_assert!(refused);
    }
}
