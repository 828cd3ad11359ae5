//! Truncated and corrupted binary files: errors, or what could still be read; never a panic.
#![cfg(feature = "arrow")]

use ermine_data::{ReadOptions, read, read_table, write_table};

#[test]
fn damaged_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let iris = ermine_data::example("iris").unwrap().take_rows(&(0..150).step_by(4).collect::<Vec<_>>());
    for name in ["t.parquet", "t.arrow"] {
        let path = folder.path().join(name);
        write_table(path.to_str().unwrap(), &iris, &Default::default()).unwrap();
        assert_eq!(read_table(&path).unwrap(), iris);
        let whole = std::fs::read(&path).unwrap();
        for cut in (0..whole.len()).step_by(whole.len() / 30) {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(read(path.to_str().unwrap(), &ReadOptions::default()).is_err(), "{name} {cut}");
        }
        // Panic messages of the decoder are not printed.
        let hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(|_| {}));
        for at in (0..whole.len()).step_by(whole.len() / 80) {
            for mask in [0x01, 0x80] {
                let mut bytes = whole.clone();
                bytes[at] ^= mask;
                std::fs::write(&path, &bytes).unwrap();
                let _ = read(path.to_str().unwrap(), &ReadOptions::default());
            }
        }
        std::panic::set_hook(hook);
    }
}
