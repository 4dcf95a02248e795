//! Names the topics that a client can keep in sync with: events, statistics, sessions, or one session (rules SYN-01
//! and SYN-03).
//!
//! Pure. Names come from the vocabulary; `tests/contract.rs` compares them.

use std::borrow::Cow;
use std::sync::Arc;

use crate::contract::{LIMITS, VOCABULARY};
use crate::field::Field;
use crate::text::{percent_decode, trim_text};

/// A resource with a revision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Topic {
    /// The newest events.
    Events,
    /// The statistics of all time.
    Stats,
    /// The list of sessions.
    Sessions,
    /// One session, by its id, which may have no event.
    Session(Arc<str>),
}

impl Topic {
    /// The topics that exist without a session, in the order of the vocabulary.
    pub const GLOBAL: [Topic; 3] = [Topic::Events, Topic::Stats, Topic::Sessions];

    /// Returns its name as in answers: the id of a session is not encoded.
    pub fn name(&self) -> Cow<'static, str> {
        match self {
            Topic::Events => Cow::Borrowed("events"),
            Topic::Stats => Cow::Borrowed("stats"),
            Topic::Sessions => Cow::Borrowed("sessions"),
            Topic::Session(id) => Cow::Owned(format!("{}{id}", VOCABULARY.session_topic_prefix)),
        }
    }
}

/// Parses the topic in a path: only the id of a session is percent-decoded, once. Returns `None` for any other text,
/// and for an id that no event can have.
pub fn parse_topic(text: &str) -> Option<Topic> {
    if let Some(topic) = Topic::GLOBAL.into_iter().find(|topic| topic.name() == text) {
        return Some(topic);
    }
    let encoded = text.strip_prefix(VOCABULARY.session_topic_prefix)?;
    let id = percent_decode(encoded, false).filter(|id| is_session_id(id))?;
    Some(Topic::Session(id.into()))
}

/// Returns the topic with this name (rule RPC-05).
pub fn topic_named(name: &str) -> Option<Topic> {
    if let Some(topic) = Topic::GLOBAL.into_iter().find(|topic| topic.name() == name) {
        return Some(topic);
    }
    let id = name.strip_prefix(VOCABULARY.session_topic_prefix)?;
    is_session_id(id).then(|| Topic::Session(id.into()))
}

/// Parses a comma-separated list of topics; of equal topics the first counts. Returns `None` for an unknown topic, or
/// for more topics than a client may follow.
pub fn parse_topics(list: &str) -> Option<Vec<Topic>> {
    let mut topics = Vec::new();
    for text in list.split(',') {
        let topic = parse_topic(text)?;
        if !topics.contains(&topic) {
            topics.push(topic);
        }
        if topics.len() > LIMITS.stream_topics {
            return None;
        }
    }
    Some(topics)
}

/// Returns whether an id obeys rules EVT-01 and EVT-12. Stored ids are trimmed.
fn is_session_id(id: &str) -> bool {
    let most = Field::SessionId.spec().max_bytes;
    !id.is_empty() && id.len() <= most && trim_text(id).len() == id.len() && !id.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(id: &str) -> Option<Topic> {
        Some(Topic::Session(id.into()))
    }

    #[test]
    fn the_parser_separates_topics_from_other_text() {
        let longest = "x".repeat(256);
        let table = [
            ("events", Some(Topic::Events)),
            ("stats", Some(Topic::Stats)),
            ("sessions", Some(Topic::Sessions)),
            ("session:s", session("s")),
            ("session:events", session("events")),
            ("session:a%2Fb%2c+%25", session("a/b,+%")),
            ("session:a:b", session("a:b")),
            ("session:%C3%A9", session("é")),
            (&format!("session:{longest}"), session(&longest)),
            (&format!("session:{longest}x"), None),
            ("session:", None),
            ("session:%20a", None),
            ("session:a%EF%BB%BF", None),
            ("session:a%00", None),
            ("session:%", None),
            ("session:%ff", None),
            ("session%3As", None),
            ("%65vents", None),
            ("Events", None),
            ("session", None),
            (" events", None),
            ("", None),
        ];
        for (text, expected) in table {
            assert_eq!(parse_topic(text), expected, "{text}");
        }
    }

    #[test]
    fn a_list_keeps_each_topic_once_in_order() {
        let table = [
            ("stats,events", Some(vec![Topic::Stats, Topic::Events])),
            ("events,stats,events", Some(vec![Topic::Events, Topic::Stats])),
            ("session:a,session:%61", Some(vec![Topic::Session("a".into())])),
            ("events,", None),
            (",", None),
            ("events, stats", None),
            ("events,nothing", None),
        ];
        for (list, expected) in table {
            assert_eq!(parse_topics(list), expected, "{list}");
        }
    }

    #[test]
    fn a_list_is_bounded_by_its_distinct_topics() {
        let list = |count: usize| (0..count).map(|n| format!("session:{n}")).collect::<Vec<_>>().join(",");
        let most = LIMITS.stream_topics;
        assert_eq!(parse_topics(&list(most)).map(|topics| topics.len()), Some(most));
        assert_eq!(parse_topics(&list(most + 1)), None);
        let twice = format!("{},{}", list(most), list(most));
        assert_eq!(parse_topics(&twice).map(|topics| topics.len()), Some(most));
    }

    #[test]
    fn a_topic_is_found_by_its_name() {
        for topic in Topic::GLOBAL.into_iter().chain(session("a b")).chain(session("%41/é,")) {
            assert_eq!(topic_named(&topic.name()), Some(topic));
        }
        for name in ["", "Events", "events ", "session", "session:", "session: a", "session:a\0"] {
            assert_eq!(topic_named(name), None, "{name}");
        }
        assert_eq!(topic_named(&format!("session:{}", "x".repeat(257))), None);
    }

    #[test]
    fn a_printed_topic_name_parses_back() {
        for topic in Topic::GLOBAL.into_iter().chain(session("a b")) {
            assert_eq!(parse_topic(&topic.name().replace(' ', "%20")), Some(topic));
        }
    }
}
