//! Writes structured JSON lines to stderr (rule PRO-01). Never logs a body or a token.

use tracing::Level;
use tracing::level_filters::LevelFilter;

/// Starts logging from this level; the configuration has checked its name.
pub fn open_log(level: &str) {
    let level = match level {
        "error" => Level::ERROR,
        "warn" => Level::WARN,
        "debug" => Level::DEBUG,
        "trace" => Level::TRACE,
        _ => Level::INFO,
    };
    let subscriber = tracing_subscriber::fmt()
        .json()
        .flatten_event(true)
        .with_target(false)
        .with_current_span(false)
        .with_writer(std::io::stderr)
        .with_max_level(LevelFilter::from_level(level))
        .finish();
    // Fails only when a program that embeds this crate has set its own subscriber; that one stays.
    drop(tracing::subscriber::set_global_default(subscriber));
}
