//! Writes structured JSON lines to stderr (rule PRO-01). Never logs a body or a token.

use std::borrow::Cow;
use std::io::{Result, Write};

use tracing::Level;
use tracing::level_filters::LevelFilter;

use crate::contract::flags::LogLevel;

/// Starts logging from this level.
pub fn open_log(level: LogLevel) {
    let level = match level {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
        LogLevel::Trace => Level::TRACE,
    };
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_target(false)
        .with_current_span(false)
        .with_writer(|| Lines)
        .with_max_level(LevelFilter::from_level(level))
        .finish();
    // Fails only when a program that embeds this crate has set its own subscriber; that one stays.
    drop(tracing::subscriber::set_global_default(subscriber));
}

/// Standard error for complete log lines.
struct Lines;

impl Write for Lines {
    fn write(&mut self, line: &[u8]) -> Result<usize> {
        let text = String::from_utf8_lossy(line);
        std::io::stderr().write_all(printable(&text).as_bytes())?;
        Ok(line.len())
    }

    fn flush(&mut self) -> Result<()> {
        std::io::stderr().flush()
    }
}

/// Writes a line for people to stderr, such as the reason of an exit code.
pub fn complain(line: &str) {
    eprintln!("{}", escaped(line, |one| one < ' ' || is_hidden(one)));
}

/// Replaces characters that a terminal obeys, or that hide or reorder text, by their JSON escapes. JSON itself escapes
/// U+0000 to U+001F. All others occur only in strings.
pub fn printable(line: &str) -> Cow<'_, str> {
    escaped(line, is_hidden)
}

fn escaped(line: &str, is_unsafe: fn(char) -> bool) -> Cow<'_, str> {
    if !line.chars().any(is_unsafe) {
        return Cow::Borrowed(line);
    }
    let shown = line.chars().map(|one| match is_unsafe(one) {
        true => format!("\\u{:04x}", u32::from(one)),
        false => String::from(one),
    });
    Cow::Owned(shown.collect())
}

/// Returns whether a terminal shows every character of a text.
pub fn is_printable(text: &str) -> bool {
    !text.chars().any(|one| one < ' ' || is_hidden(one))
}

fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{7f}'..='\u{9f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
