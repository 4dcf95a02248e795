//! Draws a flame graph from the output of `perf script`: text on stdin, SVG on stdout. A tool of `pnpm
//! bench:profile`.
//!
//! Usage: `flame TITLE FOLDER`. The names of frames lose the folder, which only this machine has. Exits with 1 when
//! there is nothing to draw.

use std::process::ExitCode;

use inferno::collapse::Collapse;
use inferno::collapse::perf::{Folder, Options as FolderOptions};
use inferno::flamegraph::{self, Options};

/// Narrower frames are left out. They cannot be read, and would be most of the file.
const LEAST_PERCENT: f64 = 0.2;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let title = arguments.next().unwrap_or_else(|| "Flame graph".to_owned());
    let folder_name = arguments.next().unwrap_or_default();
    let mut folded = Vec::new();
    let mut folder = Folder::from(FolderOptions::default());
    let drawn = folder.collapse(std::io::stdin().lock(), &mut folded).map_err(|error| error.to_string());
    let drawn = drawn.and_then(|()| {
        let mut options = Options::default();
        options.title = title;
        options.count_name = "samples".to_owned();
        options.min_width = LEAST_PERCENT;
        let stacks = String::from_utf8_lossy(&folded).replace(&folder_name, "");
        flamegraph::from_reader(&mut options, stacks.as_bytes(), std::io::stdout().lock())
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
