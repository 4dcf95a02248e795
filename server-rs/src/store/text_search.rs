//! Prepares the search for a text (rule GET-13): patterns of LIKE for the values of a row, and the ids of matching names.
//!
//! SQLite compares, so both servers find the same rows. Its LIKE ignores the case of ASCII letters alone.

use rusqlite::{Connection, ToSql};

use crate::queries;

/// The parameters of a search. A pattern is one of LIKE with `\` as the escape.
#[derive(Debug)]
pub struct TextSearch {
    /// Finds the text itself.
    pub pattern: String,
    /// Finds the text as it is written inside a JSON string, where that differs.
    pub escaped: Option<String>,
    /// Finds the text in a UUID, if it can be a part of one.
    pub uuid: Option<String>,
    /// The ids of the names that contain the text, as a JSON array; `None` without such names.
    pub names: Option<String>,
}

impl TextSearch {
    /// Returns the parameters of the statements for rows.
    pub(super) fn parameters(&self) -> [(&str, &dyn ToSql); 4] {
        let Self { pattern, escaped, uuid, names } = self;
        [(":q", pattern), (":escaped", escaped), (":uuid", uuid), (":names", names)]
    }
}

/// Makes the patterns of a text, and looks up the names that contain it.
pub fn find_text(connection: &Connection, text: &str) -> rusqlite::Result<TextSearch> {
    let pattern = pattern_of(text);
    let names: String =
        connection.prepare_cached(queries::SELECT_NAMES_LIKE)?.query_row([&pattern], |row| row.get(0))?;
    let json = serde_json::to_string(text).unwrap_or_default();
    let escaped = json.get(1..json.len() - 1).filter(|inner| *inner != text).map(pattern_of);
    let is_uuid = text.len() <= UUID_CHARACTERS && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    Ok(TextSearch {
        uuid: is_uuid.then(|| pattern.clone()),
        names: (names != "[]").then_some(names),
        pattern,
        escaped,
    })
}

const UUID_CHARACTERS: usize = 36;

/// Returns the pattern of LIKE that matches every text with this part.
fn pattern_of(part: &str) -> String {
    let mut pattern = String::with_capacity(part.len() + 2);
    pattern.push('%');
    for character in part.chars() {
        if matches!(character, '\\' | '%' | '_') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
