//! Draws a flame graph from the output of `perf script`: text on stdin, SVG on stdout. A tool of `pnpm
//! bench:profile`.
//!
//! Usage: `flame TITLE`. Exits with 1 when there is nothing to draw.

use std::process::ExitCode;

use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options as FolderOptions};
use inferno::flamegraph::{self, Options};

fn main() -> ExitCode {
    let title = std::env::args().nth(1).unwrap_or_else(|| "Flame graph".to_owned());
    let mut folded = Vec::new();
    let mut folder = Folder::from(FolderOptions::default());
    let drawn = folder.collapse(std::io::stdin().lock(), &mut folded).map_err(|error| error.to_string());
    let drawn = drawn.and_then(|()| {
        let mut options = Options::default();
        options.title = title;
        options.count_name = "samples".to_owned();
        flamegraph::from_reader(&mut options, folded.as_slice(), std::io::stdout().lock())
            .map_err(|error| error.to_string())
    });
    match drawn {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("flame: {problem}");
            ExitCode::FAILURE
        }
    }
}
