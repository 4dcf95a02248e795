//! Reads the flags: the events, the codec, the events of a batch, and the duration of each step.

use std::ffi::OsString;
use std::path::PathBuf;

use lexopt::Arg;

const USAGE: &str = "--events FILE --codec NAME --counts N,N --seconds S is wanted";

pub(crate) struct Flags {
    /// A file with one event a line.
    pub(crate) events: PathBuf,
    pub(crate) codec: String,
    /// Events or rows of a batch; bytes for procwire's payload.
    pub(crate) counts: Vec<usize>,
    pub(crate) seconds: f64,
}

pub(crate) fn parse_flags(args: impl IntoIterator<Item = OsString>) -> Result<Flags, String> {
    let mut parser = lexopt::Parser::from_args(args);
    let (mut events, mut codec, mut counts, mut seconds) = (None, None, None, None);
    while let Some(arg) = parser.next().map_err(|error| error.to_string())? {
        let Arg::Long(name) = arg else { return Err(USAGE.to_owned()) };
        let name = name.to_owned();
        let value = parser.value().map_err(|error| error.to_string())?;
        let text = value.to_str().ok_or(USAGE)?;
        match name.as_str() {
            "events" => events = Some(PathBuf::from(&value)),
            "codec" => codec = Some(text.to_owned()),
            "counts" => {
                counts = text.split(',').map(|count| count.parse().ok().filter(|&count| count > 0)).collect()
            }
            "seconds" => seconds = text.parse().ok(),
            _ => return Err(USAGE.to_owned()),
        }
    }
    match (events, codec, counts, seconds) {
        (Some(events), Some(codec), Some(counts), Some(seconds)) => {
            Ok(Flags { events, codec, counts, seconds })
        }
        _ => Err(USAGE.to_owned()),
    }
}
