//! Searches for a text (rule GET-13): the function `has_text` of the statements, and the ids of matching names.
//!
//! The search takes one step for each byte, whatever the text is: SQLite's LIKE would take up to 128. Only the case of
//! ASCII letters is ignored, as LIKE does.

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use rusqlite::functions::{Context, FunctionFlags};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ToSql};

use crate::queries;
use crate::store::text_filter::WantedTrigrams;

/// The parameters of a search.
#[derive(Debug)]
pub struct TextSearch {
    /// The text itself.
    pub q: String,
    /// The text as it is written inside a JSON string, where that differs.
    pub escaped: Option<String>,
    /// The text, if it can be a part of a UUID.
    pub uuid: Option<String>,
    /// The ids of the names that contain the text, as a JSON array; `None` without such names.
    pub names: Option<String>,
    /// The trigrams of the text, and of the other one.
    trigrams: [Option<WantedTrigrams>; 2],
    /// 1 to search whole metadata instead of summaries.
    pub whole: Option<i64>,
}

impl TextSearch {
    /// Returns the parameters of the statements for rows.
    pub(super) fn parameters(&self) -> [(&str, &dyn ToSql); 5] {
        let Self { q, escaped, uuid, names, whole, .. } = self;
        [(":q", q), (":escaped", escaped), (":uuid", uuid), (":names", names), (":whole", whole)]
    }

    /// Returns whether rows with this filter can have the text anywhere but in a UUID.
    pub(super) fn may_be_in(&self, filter: &[u8]) -> bool {
        self.trigrams.iter().flatten().any(|wanted| wanted.may_be_in(filter))
    }
}

/// Prepares the search for a text, and looks up the names that contain it. `is_whole` is whether whole metadata is
/// searched.
pub fn find_text(connection: &Connection, text: &str, is_whole: bool) -> rusqlite::Result<TextSearch> {
    let names: String =
        connection.prepare_cached(queries::SELECT_NAMES_WITH_TEXT)?.query_row([text], |row| row.get(0))?;
    let json = serde_json::to_string(text).unwrap_or_default();
    let escaped = json.get(1..json.len() - 1).filter(|inner| *inner != text).map(str::to_owned);
    let is_uuid = text.len() <= UUID_CHARACTERS && text.bytes().all(|b| b.is_ascii_hexdigit() || b == b'-');
    Ok(TextSearch {
        uuid: is_uuid.then(|| text.to_owned()),
        names: (names != "[]").then_some(names),
        trigrams: [Some(text), escaped.as_deref()].map(|one| one.map(WantedTrigrams::of)),
        q: text.to_owned(),
        whole: is_whole.then_some(1),
        escaped,
    })
}

const UUID_CHARACTERS: usize = 36;

/// Adds the function `has_text(bytes, text, other)` to a connection: whether the bytes contain one of two texts, of which
/// the other may be NULL.
pub fn add_text_function(connection: &Connection) -> rusqlite::Result<()> {
    let flags =
        FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_DIRECTONLY;
    connection.create_scalar_function("has_text", 3, flags, has_text)
}

fn has_text(context: &Context<'_>) -> rusqlite::Result<bool> {
    let ValueRef::Blob(bytes) = context.get_raw(0) else { return Ok(false) };
    // SQLite keeps it while the statement runs, because the texts are parameters.
    let words = context.get_or_create_aux(1, |text| words_of(text, context.get_raw(2)))?;
    Ok(words.is_match(bytes))
}

/// Prepares the search for one or two texts.
fn words_of(text: ValueRef<'_>, other: ValueRef<'_>) -> Result<AhoCorasick, aho_corasick::BuildError> {
    let words = [text, other].into_iter().filter_map(|word| match word {
        ValueRef::Text(word) => Some(word),
        _ => None,
    });
    let kind = Some(AhoCorasickKind::DFA);
    AhoCorasick::builder().ascii_case_insensitive(true).kind(kind).build(words)
}

#[cfg(test)]
mod tests {
    use rusqlite::named_params;

    use super::*;

    /// Letters whose other case is not ASCII, characters of patterns, and one of four bytes.
    const LETTERS: &str = "aAbBkKzZ%_*\\\"éÉſ\u{212a}\u{130}😀 ";

    /// A linear congruential generator, so that a failure repeats.
    struct Random(u32);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (self.0 >> 8) as usize % most
        }

        fn text(&mut self, most: usize) -> String {
            let letters: Vec<char> = LETTERS.chars().collect();
            (0..self.below(most)).map(|_| letters[self.below(letters.len())]).collect()
        }

        fn word(&mut self) -> String {
            Some(self.text(4)).filter(|word| !word.is_empty()).unwrap_or_else(|| "a".to_owned())
        }
    }

    fn pattern(word: &str) -> String {
        format!("%{}%", word.replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_"))
    }

    #[test]
    fn has_text_finds_what_like_finds_for_random_texts() -> rusqlite::Result<()> {
        let connection = Connection::open_in_memory()?;
        add_text_function(&connection)?;
        let mut like = connection
            .prepare(r"SELECT :text LIKE :q ESCAPE '\' OR ifnull(:text LIKE :other ESCAPE '\', 0)")?;
        let mut own = connection.prepare("SELECT has_text(CAST(:text AS BLOB), :q, :other)")?;
        let (mut random, mut found) = (Random(7), 0);
        for _ in 0..20_000 {
            let (text, q) = (random.text(24), random.word());
            let other = (random.below(2) == 0).then(|| random.word());
            let patterns = (pattern(&q), other.as_deref().map(pattern));
            let expected: bool = like
                .query_row(named_params! {":text": text, ":q": patterns.0, ":other": patterns.1}, |row| {
                    row.get(0)
                })?;
            let values = named_params! {":text": text, ":q": q, ":other": other};
            assert_eq!(own.query_row(values, |row| row.get::<_, bool>(0))?, expected, "{text} {q} {other:?}");
            found += usize::from(expected);
        }
        assert!((2_000..18_000).contains(&found), "{found} found");
        Ok(())
    }
}
