//! Holds the files that are served unchanged (rules HEA-03, PAG-01 and BEN-05).
//!
//! The build compresses them (`build.rs`), and the first request for each decompresses it. So neither the binary nor
//! an unused server holds them uncompressed.

use std::io::Read;
use std::sync::LazyLock;

use bytes::Bytes;
use flate2::bufread::ZlibDecoder;

macro_rules! served {
    ($name:literal) => {
        LazyLock::new(|| unpack(include_bytes!(concat!(env!("OUT_DIR"), "/", $name, ".zz"))))
    };
}

/// `contract/openapi.json`.
pub static OPENAPI: LazyLock<Bytes> = served!("openapi.json");
/// The dashboard's document.
pub static PAGE: LazyLock<Bytes> = served!("index.html");
/// The dashboard's program.
pub static PAGE_SCRIPT: LazyLock<Bytes> = served!("app.js");
/// The dashboard's style.
pub static PAGE_STYLES: LazyLock<Bytes> = served!("app.css");
/// The document of the page of measurements.
pub static BENCH_PAGE: LazyLock<Bytes> = served!("bench.html");
/// Its program.
pub static BENCH_SCRIPT: LazyLock<Bytes> = served!("bench.js");
/// Its worker.
pub static BENCH_WORKER: LazyLock<Bytes> = served!("bench-worker.js");
/// Its style.
pub static BENCH_STYLES: LazyLock<Bytes> = served!("bench.css");

fn unpack(packed: &'static [u8]) -> Bytes {
    let mut bytes = Vec::new();
    ZlibDecoder::new(packed).read_to_end(&mut bytes).expect("what this build packed");
    bytes.shrink_to_fit();
    bytes.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_unpacks_to_its_source() {
        assert_eq!(**OPENAPI, include_bytes!("../../contract/openapi.json")[..]);
        assert_eq!(**PAGE, include_bytes!("../../dashboard/dist/index.html")[..]);
        assert_eq!(**PAGE_SCRIPT, include_bytes!("../../dashboard/dist/app.js")[..]);
        assert_eq!(**PAGE_STYLES, include_bytes!("../../dashboard/dist/app.css")[..]);
        assert_eq!(**BENCH_PAGE, include_bytes!("../../dashboard/dist/bench.html")[..]);
        assert_eq!(**BENCH_SCRIPT, include_bytes!("../../dashboard/dist/bench.js")[..]);
        assert_eq!(**BENCH_WORKER, include_bytes!("../../dashboard/dist/bench-worker.js")[..]);
        assert_eq!(**BENCH_STYLES, include_bytes!("../../dashboard/dist/bench.css")[..]);
    }
}
