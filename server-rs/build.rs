//! Packs the files that are served as they are: three quarters of their bytes need not be in the binary. And has the
//! linker lay the functions in the order of `link-order.txt`, if it is one that can.
//!
//! What must stay true: `src/served.rs` unpacks what is packed here, and a test there holds each against its file.

use std::io::{Error, Write};
use std::path::Path;
use std::process::{Command, Output};
use std::{env, fs};

use flate2::Compression;
use flate2::write::ZlibEncoder;

const FILES: [&str; 4] =
    ["contract/openapi.json", "dashboard/dist/index.html", "dashboard/dist/app.js", "dashboard/dist/app.css"];

fn main() -> Result<(), Error> {
    let variable = |name| env::var(name).map_err(Error::other);
    let (crate_folder, out) = (variable("CARGO_MANIFEST_DIR")?, variable("OUT_DIR")?);
    for file in FILES {
        let source = Path::new(&crate_folder).join("..").join(file);
        println!("cargo::rerun-if-changed={}", source.display());
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&fs::read(&source)?)?;
        let name = file.rsplit('/').next().unwrap_or(file);
        fs::write(Path::new(&out).join(name).with_added_extension("zz"), encoder.finish()?)?;
    }
    order_functions(&Path::new(&crate_folder).join("link-order.txt"))
}

/// Functions that a start calls lie side by side, so that a server at rest maps half of its text
/// (`docs/decisions/0025-functions-in-order.md`). A linker that does not know the flag would refuse it, so only rustc's
/// own is given it; without, the same program takes 1.3 MB more.
fn order_functions(order: &Path) -> Result<(), Error> {
    println!("cargo::rerun-if-changed={}", order.display());
    if !links_by_rust_lld()? {
        return Ok(());
    }
    // A name that is not in the program, as behind another compiler, is passed over.
    for flag in [&format!("--symbol-ordering-file={}", order.display()), "--no-warn-symbol-ordering"] {
        println!("cargo::rustc-link-arg-bins=-Xlinker");
        println!("cargo::rustc-link-arg-bins={flag}");
    }
    Ok(())
}

/// Whether rustc links by the lld it comes with: where it has one for this target
/// (<https://doc.rust-lang.org/rustc/codegen-options/index.html#linker-features>), and nobody asked for another.
fn links_by_rust_lld() -> Result<bool, Error> {
    let variable = |name: &str| env::var(name).map_err(Error::other);
    let asked_for_another = env::var_os("RUSTC_LINKER").is_some()
        || ["linker", "fuse-ld"]
            .iter()
            .any(|word| env::var("CARGO_ENCODED_RUSTFLAGS").is_ok_and(|flags| flags.contains(word)));
    let target = variable("TARGET")?;
    if asked_for_another || target != "x86_64-unknown-linux-gnu" {
        return Ok(false);
    }
    let Output { stdout, .. } = Command::new(variable("RUSTC")?).args(["--print", "sysroot"]).output()?;
    let sysroot = String::from_utf8(stdout).map_err(Error::other)?;
    Ok(Path::new(sysroot.trim_end()).join("lib/rustlib").join(target).join("bin/gcc-ld/ld.lld").exists())
}
