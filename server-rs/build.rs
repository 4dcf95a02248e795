//! Compresses the files that are served unchanged, which saves three quarters of their bytes in the binary. Compiles the
//! one setting of the allocator.
//!
//! Invariant: `src/served.rs` unpacks every file that this script packs. A test there compares each with its source
//! file.

use std::io::{Error, Write};
use std::path::Path;
use std::{env, fs};

use flate2::Compression;
use flate2::write::ZlibEncoder;

const FILES: [&str; 8] = [
    "contract/openapi.json",
    "dashboard/dist/index.html",
    "dashboard/dist/app.js",
    "dashboard/dist/app.css",
    "dashboard/dist/bench.html",
    "dashboard/dist/bench.js",
    "dashboard/dist/bench-worker.js",
    "dashboard/dist/bench.css",
];

fn main() -> Result<(), Error> {
    let variable = |name| env::var(name).map_err(Error::other);
    let (crate_folder, out) = (variable("CARGO_MANIFEST_DIR")?, variable("OUT_DIR")?);
    // A published crate contains the folders that are next to this crate in the repository.
    let crate_folder = Path::new(&crate_folder);
    let root = if crate_folder.join("contract").is_dir() {
        crate_folder.to_path_buf()
    } else {
        crate_folder.join("..")
    };
    for file in FILES {
        let source = root.join(file);
        println!("cargo::rerun-if-changed={}", source.display());
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(&source)?)?;
        let name = file.rsplit('/').next().unwrap_or(file);
        fs::write(Path::new(&out).join(name).with_added_extension("zz"), encoder.finish()?)?;
    }
    if variable("CARGO_CFG_TARGET_ENV")? == "gnu" && variable("CARGO_CFG_TARGET_OS")? == "linux" {
        let source = root.join("server-rs/src/platform/large_blocks.c");
        println!("cargo::rerun-if-changed={}", source.display());
        // Nothing refers to a constructor, so the linker would drop it.
        cc::Build::new().file(source).link_lib_modifier("+whole-archive").compile("large_blocks");
    }
    Ok(())
}
