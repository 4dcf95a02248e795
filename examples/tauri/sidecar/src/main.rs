//! An app without a window, for the test that kills it: prints the pid and the URL of its server, and waits.

use std::path::Path;

use ingest_sidecar::Sidecar;

fn main() -> std::io::Result<()> {
    let mut words = std::env::args().skip(1);
    let (program, data) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let sidecar = Sidecar::start(Path::new(&program), Path::new(&data))?;
    println!("{} {}", sidecar.pid(), sidecar.url);
    loop {
        std::thread::park();
    }
}
