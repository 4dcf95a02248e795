//! Decides which signals are notifications, and writes their bodies (rules NOT-01 and NOT-02).
//!
//! Pure. It knows when the work of a session began, for a bounded number of sessions. Invariant: the signals of one
//! database give the same notifications on both servers.

use std::collections::{HashMap, VecDeque};

use serde_json::{Value, json};

use crate::budget::{Day, cents_of, dollars_text};
use crate::contract::vocabulary::waiting_reason;
use crate::contract::{LIMITS, VOCABULARY, fill};
use crate::store::signals::{Signal, SignalKind};
use crate::timestamp::format_timestamp;
use crate::zones::Zone;

const MINUTE_MS: i64 = 60_000;

/// One notification.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// The same for each attempt.
    pub id: String,
    /// JSON text.
    pub body: String,
}

/// What a notification depends on.
#[derive(Debug, Clone)]
pub struct NoticeRules {
    /// The server's URL.
    pub origin: String,
    /// The database's UUID.
    pub epoch: String,
    /// Only longer work is reported as finished.
    pub finish_minutes: i64,
    /// The budget of a day in cents.
    pub budget_cents: Option<u64>,
    /// In which a day begins at midnight.
    pub zone: Zone,
}

/// The work of a session.
#[derive(Debug, Clone, Copy)]
struct Work {
    /// Its beginning in Unix milliseconds; `None` after its end.
    began: Option<i64>,
    /// The event that reported its first failure.
    failed: Option<i64>,
}

/// The state of all sessions with recent signals, and of the budget.
#[derive(Debug)]
pub struct Notices {
    rules: NoticeRules,
    works: HashMap<i64, Work>,
    /// The keys of `works`, oldest first.
    order: VecDeque<i64>,
    /// The date on which the cost was above the budget.
    passed: String,
}

/// The kinds of notifications (rule NOT-02).
#[derive(Debug, Clone, Copy)]
enum NoticeKind {
    Waiting,
    Finished,
    Failed,
    Budget,
}

impl NoticeKind {
    /// Returns the end of the notification's id.
    fn as_str(self) -> &'static str {
        match self {
            NoticeKind::Waiting => "waiting",
            NoticeKind::Finished => "finished",
            NoticeKind::Failed => "failed",
            NoticeKind::Budget => "budget",
        }
    }

    fn type_name(self) -> &'static str {
        let types = &VOCABULARY.notifications.types;
        match self {
            NoticeKind::Waiting => types.waiting,
            NoticeKind::Finished => types.finished,
            NoticeKind::Failed => types.failed,
            NoticeKind::Budget => types.budget,
        }
    }
}

impl Notices {
    /// Starts without known sessions.
    pub fn new(rules: NoticeRules) -> Self {
        Self { rules, works: HashMap::new(), order: VecDeque::new(), passed: String::new() }
    }

    /// Takes the next signal; returns its notification, if it is one.
    pub fn observe(&mut self, signal: &Signal) -> Option<Notice> {
        let mut work = self
            .works
            .get(&signal.key)
            .copied()
            .unwrap_or(Work { began: Some(signal.started_at), failed: None });
        let messages = &VOCABULARY.notifications.messages;
        let message = match signal.kind {
            SignalKind::Prompt => {
                work = Work { began: Some(signal.at), failed: None };
                None
            }
            SignalKind::Waiting => match signal.reason.as_deref() {
                Some(waiting_reason::PERMISSION) => Some((NoticeKind::Waiting, messages.permission, 0)),
                Some(waiting_reason::QUESTION) => Some((NoticeKind::Waiting, messages.question, 0)),
                _ => None,
            },
            SignalKind::Failed => {
                let is_first = work.failed.is_none();
                work.failed = work.failed.or(Some(signal.id));
                is_first.then_some((NoticeKind::Failed, messages.failed, 0))
            }
            SignalKind::Finished => {
                let took_ms = work.began.take().map_or(0, |began| signal.at - began);
                let is_long =
                    took_ms > self.rules.finish_minutes * MINUTE_MS && work.failed != Some(signal.id);
                work.failed = None;
                is_long.then_some((NoticeKind::Finished, messages.finished, took_ms / MINUTE_MS))
            }
        };
        self.keep(signal.key, work);
        let (kind, message, minutes) = message?;
        let values = [("minutes", minutes.to_string()), ("agent", signal.agent.clone())];
        let text = message_of(message, &values);
        let place = format!("/#/session/{}", encode_component(&signal.session_id));
        let of = [Some(&signal.session_id), signal.project.as_ref(), Some(&signal.agent)];
        Some(self.notice(kind, &signal.id.to_string(), signal.at, of, &text, &place))
    }

    /// Takes the cost of a day in US dollars; returns a notification the first time that it is above the budget.
    pub fn spend(&mut self, day: &Day, usd: f64, now_ms: i64) -> Option<Notice> {
        let budget = self.rules.budget_cents?;
        #[expect(clippy::cast_precision_loss, reason = "at most nine digits")]
        let is_above = usd > budget as f64 / 100.0;
        if !is_above || self.passed == day.date {
            return None;
        }
        self.passed.clone_from(&day.date);
        let values = [
            ("cost", dollars_text(cents_of(usd))),
            ("day", day.date.clone()),
            ("budget", dollars_text(budget)),
        ];
        let text = message_of(VOCABULARY.notifications.messages.budget, &values);
        Some(self.notice(NoticeKind::Budget, &day.date, now_ms, [None; 3], &text, "/"))
    }

    fn keep(&mut self, key: i64, work: Work) {
        if self.works.insert(key, work).is_some() {
            return;
        }
        self.order.push_back(key);
        if self.order.len() > LIMITS.notice_sessions
            && let Some(oldest) = self.order.pop_front()
        {
            self.works.remove(&oldest);
        }
    }

    fn notice(
        &self,
        kind: NoticeKind,
        id: &str,
        at: i64,
        [session, project, agent]: [Option<&String>; 3],
        message: &str,
        place: &str,
    ) -> Notice {
        let NoticeRules { origin, epoch, .. } = &self.rules;
        let body = json!({
            "type": kind.type_name(),
            "timestamp": format_timestamp(at),
            "session": session,
            "project": project,
            "agent": agent,
            "message": message,
            "url": format!("{origin}{place}"),
        });
        Notice { id: format!("msg_{epoch}_{id}_{}", kind.as_str()), body: Value::to_string(&body) }
    }
}

/// Fills in a message of the contract. A value that may hold any text comes last, so that nothing in it is replaced.
fn message_of(text: &str, values: &[(&str, String)]) -> String {
    let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    fill(text, &values)
}

/// Escapes a text as ECMAScript's `encodeURIComponent` does.
fn encode_component(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::day_of;
    use crate::zones::{UTC, find_zone};

    fn notices(budget_cents: Option<u64>) -> Notices {
        Notices::new(NoticeRules {
            origin: "http://127.0.0.1:3141".to_owned(),
            epoch: "e".to_owned(),
            finish_minutes: 5,
            budget_cents,
            zone: find_zone(UTC).expect("a zone"),
        })
    }

    fn signal(id: i64, kind: SignalKind, minute: i64) -> Signal {
        Signal {
            id,
            kind,
            reason: (kind == SignalKind::Waiting).then(|| "permission".to_owned()),
            at: minute * MINUTE_MS,
            key: 7,
            session_id: "a b/\u{e9}".to_owned(),
            agent: "{minutes}".to_owned(),
            project: None,
            started_at: 0,
        }
    }

    fn ids(notices: &mut Notices, signals: &[(i64, SignalKind, i64)]) -> Vec<String> {
        let found = signals.iter().filter_map(|(id, kind, at)| notices.observe(&signal(*id, *kind, *at)));
        found.map(|notice| notice.id).collect()
    }

    #[test]
    fn a_wait_is_reported_with_a_link_to_its_session() {
        let notice = notices(None).observe(&signal(3, SignalKind::Waiting, 0)).expect("is a notification");
        assert_eq!(notice.id, "msg_e_3_waiting");
        assert_eq!(
            notice.body,
            "{\"type\":\"session.waiting\",\"timestamp\":\"1970-01-01T00:00:00.000Z\",\"session\":\"a b/\u{e9}\",\
             \"project\":null,\"agent\":\"{minutes}\",\"message\":\"{minutes} asks for permission\",\
             \"url\":\"http://127.0.0.1:3141/#/session/a%20b%2F%C3%A9\"}"
        );
    }

    #[test]
    fn work_that_took_longer_than_the_limit_is_reported_once() {
        use SignalKind::{Finished, Prompt};
        let mut some = notices(None);
        let first = [(1, Prompt, 0), (2, Finished, 5), (3, Prompt, 10), (4, Finished, 16), (5, Finished, 90)];
        assert_eq!(ids(&mut some, &first), ["msg_e_4_finished"]);
        // Without a known prompt the work began with the session.
        assert_eq!(ids(&mut notices(None), &[(9, Finished, 6)]), ["msg_e_9_finished"]);
    }

    #[test]
    fn a_failure_is_reported_once_for_each_prompt() {
        use SignalKind::{Failed, Finished, Prompt};
        let signals = [
            (1, Failed, 0),
            (2, Failed, 1),
            (3, Prompt, 2),
            (4, Failed, 30),
            (4, Finished, 30),
            (5, Failed, 31),
        ];
        assert_eq!(ids(&mut notices(None), &signals), ["msg_e_1_failed", "msg_e_4_failed", "msg_e_5_failed"]);
    }

    #[test]
    fn the_budget_is_reported_once_a_day() {
        let mut some = notices(Some(1000));
        let utc = find_zone(UTC).expect("a zone");
        let (one, two) = (day_of(&utc, 0), day_of(&utc, 86_400_000));
        assert_eq!(some.spend(&one, 10.0, 0), None);
        let notice = some.spend(&one, 10.01, 0).expect("is a notification");
        assert_eq!(notice.id, "msg_e_1970-01-01_budget");
        assert!(notice.body.contains("\"session\":null"), "{}", notice.body);
        assert!(notice.body.contains("\"10.01 USD on 1970-01-01 is above the budget of 10.00 USD\""));
        assert_eq!(some.spend(&one, 11.0, 0), None);
        assert!(some.spend(&two, 10.5, 0).is_some());
        assert_eq!(notices(None).spend(&one, 99.0, 0), None);
    }

    #[test]
    fn the_number_of_known_sessions_is_bounded() {
        let mut some = notices(None);
        for key in 0..5000 {
            drop(some.observe(&Signal { key, ..signal(key, SignalKind::Prompt, 0) }));
        }
        assert_eq!((some.works.len(), some.order.len()), (4096, 4096));
    }
}
