//! Holds the mappings of agents (`contract/mapping.md`).
//!
//! Pure. Invariant: a mapping with an unknown word, a cycle or an impossible value stops the start.

/// Tests whether a rule or a value applies.
pub mod condition;
/// Compiles the mappings of agents.
pub mod compile;
/// Ids of events that are reported more than once.
pub mod event_id;
/// The values that fields may have.
pub mod field;
/// Values that have several forms.
mod forms;
/// The mapping of hooks.
pub mod hooks;
/// The names of records.
pub mod name;
/// Finds values by their paths.
pub mod path;
/// The problems of a mapping, with their places.
pub mod problems;
/// Which records rules apply to, and the events that they make.
pub mod rule;
/// The grammar of a file of mappings.
mod spec;
/// The effects of hooks on waits.
pub mod state;
/// The mapping of telemetry.
pub mod telemetry;
/// Computes the values of fields.
pub mod value;

use std::sync::LazyLock;

use crate::contract::AGENTS_FILE;
use compile::{Agent, compile_agents};

/// The agents in the order in which records are matched.
pub static AGENTS: LazyLock<Vec<Agent>> =
    LazyLock::new(|| compile_agents(AGENTS_FILE).unwrap_or_else(|error| panic!("{error}")));

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::cell::RefCell;

    use serde_json::{Map, Value, json};

    use super::condition::Conditions;
    use super::field::field_of;
    use super::path::{Found, Json, Path, PathScope, Source};
    use super::problems::Place;
    use super::value::{Texts, compile_fields, last_segment, put_fields};
    use crate::event::{Event, Text};
    use crate::json::scan_object;

    /// The members of an object at the keys of a mapping.
    struct Record<'a, const DIGITS: bool> {
        body: &'a str,
        keys: Vec<String>,
    }

    impl<'a, const DIGITS: bool> Source<'a> for Record<'a, DIGITS> {
        const HAS_DIGITS: bool = DIGITS;

        fn get(&self, key: usize) -> Option<Found<'a>> {
            let mut found = None;
            let scanned = scan_object(self.body, |name, value| {
                let name: String = serde_json::from_str(&self.body[name.start..name.end]).expect("a text");
                if name == self.keys[key] {
                    let text = &self.body[value.start..value.end];
                    found = (!value.is_absent()).then_some(Found::Json(Json {
                        text,
                        kind: value.kind,
                        is_printed: false,
                    }));
                }
            });
            scanned.expect("JSON");
            found
        }
    }

    struct Owned;

    impl Texts for Owned {
        fn put(&mut self, text: Cow<'_, str>) -> Text {
            Text::Owned(text.into())
        }
    }

    /// Compiles something without a problem; returns it and its keys.
    fn compiled<T>(compile: impl FnOnce(&Place<'_>, PathScope<'_>) -> T) -> (T, Vec<String>) {
        let (problems, keys) = (RefCell::new(Vec::new()), RefCell::new(Vec::new()));
        let scope = PathScope { has_ids: true, has_parent: true, keys: &keys };
        let compiled = compile(&Place::of_file("agent", "telemetry", &problems), scope);
        assert_eq!(problems.take(), [""; 0]);
        (compiled, keys.take())
    }

    fn fields_of<const DIGITS: bool>(body: &str, rules: &Value) -> Value {
        let spec = serde_json::from_value(rules.clone()).expect("values");
        let (rules, keys) = compiled(|place, scope| compile_fields(spec, place, scope, field_of));
        let mut event = Event::empty();
        let absent = event.clone();
        put_fields(&mut event, &mut Owned, &rules, &Record::<DIGITS> { body, keys });
        let mut fields = Map::new();
        for rule in &rules {
            let value = match (event.text(rule.field, body), event.number(rule.field)) {
                (Some(text), _) => text.into(),
                (None, Some(number)) if Some(number) != absent.number(rule.field) => number.into(),
                _ => continue,
            };
            fields.insert(rule.field.name().to_owned(), value);
        }
        Value::Object(fields)
    }

    #[test]
    fn a_path_goes_into_the_objects_of_arrays() {
        let body = r#"{"a":[{"b":1},{"c":2},[{"b":3}],{"b":null},"x"],"d":{"e":"f","n":null,"e\u0031":[7]},"g/h":1,"i.j":2,"k~":3,"t":[{"u":{"v":1},"u":[]}]}"#;
        let value = |path: &str| {
            let (path, keys) = compiled(|place, scope| Path::compile(path, place, scope));
            let record = Record::<false> { body, keys };
            let mut all = Vec::new();
            path.has(&record, |value| {
                all.push(value.condition_text().map(Cow::into_owned));
                false
            });
            (path.value(&record).map(|value| value == Found::List), all)
        };
        let text = |text: &str| Some(text.to_owned());
        assert_eq!(value("a/b"), (Some(true), vec![text("1"), text("3")]));
        assert_eq!(value("d/e"), (Some(false), vec![text("f")]));
        assert_eq!(value("d/e1"), (Some(false), vec![None]));
        for none in ["a/z", "d/n", "d/constructor", "constructor", "d/e/length", "z/z", "$trace_id", "t/u/v"]
        {
            assert_eq!(value(none), (None, Vec::new()), "{none}");
        }
        for (path, found) in [("g~1h", "1"), ("i.j", "2"), ("k~0", "3")] {
            assert_eq!(value(path), (Some(false), vec![text(found)]), "{path}");
        }
    }

    #[test]
    fn a_condition_holds_for_one_of_several_values_and_an_object_has_no_text() {
        let body = r#"{"list":[{"t":"a"},{"t":"b"}],"flag":true,"n":1e2,"text":"\u0078","object":{"a":1},"nul":null,"bad":"\ud800"}"#;
        let holds = |matched: Value, unless: Value| {
            let [matched, unless] =
                [matched, unless].map(|spec| serde_json::from_value(spec).expect("conditions"));
            let (conditions, keys) =
                compiled(|place, scope| Conditions::compile(matched, unless, place, scope));
            conditions.apply(&Record::<false> { body, keys })
        };
        for (matched, unless, expected) in [
            (json!({"list/t": "b"}), json!({}), true),
            (json!({"flag": "true", "n": "100", "text": ["y", "x"]}), json!({}), true),
            (json!({"list/t": "c"}), json!({}), false),
            (json!({"flag": "false"}), json!({}), false),
            (json!({"n": "1e2"}), json!({}), false),
            (json!({"object": "*", "bad": "*"}), json!({}), true),
            (json!({"object": "{\"a\":1}"}), json!({}), false),
            (json!({"nul": "*"}), json!({}), false),
            (json!({"none": "*"}), json!({}), false),
            (json!({"n": "100"}), json!({"text": "x"}), false),
            (json!({"n": "100"}), json!({"text": "y", "none": "*"}), true),
        ] {
            assert_eq!(holds(matched.clone(), unless.clone()), expected, "{matched} {unless}");
        }
    }

    #[test]
    fn a_value_that_breaks_the_rule_of_its_field_is_absent_and_the_default_replaces_it() {
        let body =
            format!(r#"{{"tokens":-1,"tool":"{}","model":" m ","more":9,"bad":"/\ud800"}}"#, "x".repeat(257));
        let rules = json!({
            "tool_name": { "from": "tool", "default": "long" },
            "model": ["none", "model", "tool"],
            "tokens_out": { "sum": ["more"], "less": ["more", "more", "tokens"] },
            "tokens_in": ["tokens", "more"],
            "project": [{ "from": "bad", "take": "last_segment" }, "more", "model"],
            "branch": [{ "from": "bad", "take": "last_segment" }, "model"],
        });
        let expected = json!({ "tool_name": "long", "model": "m", "branch": "m" });
        assert_eq!(fields_of::<false>(&body, &rules), expected);
    }

    #[test]
    fn sums_are_exact_and_take_what_is_there() {
        let body = r#"{"most":9007199254740991,"one":1,"text":"5","half":0.5,"zero":-0.0}"#;
        let sum =
            |value: Value| fields_of::<false>(body, &json!({ "duration_ms": value }))["duration_ms"].clone();
        let most = json!(9_007_199_254_740_991_i64);
        assert_eq!(sum(json!({"sum": ["most", "most", "one"], "less": ["most", "one"]})), most);
        assert_eq!(sum(json!({"sum": ["most", "one"]})), Value::Null);
        assert_eq!(sum(json!({"sum": ["one", "none", "half", "text"]})), json!(1));
        for base in ["none", "half", "text"] {
            assert_eq!(sum(json!({"sum": [base, "one"]})), Value::Null, "{base}");
        }
        assert_eq!(sum(json!({"sum": [["none", "one"]], "less": [["none", "most"]]})), json!(0));
        assert_eq!(sum(json!("zero")), json!(0));
        let digits = fields_of::<true>(
            body,
            &json!({ "duration_ms": { "sum": ["text", "one"] }, "cost_usd": "text" }),
        );
        assert_eq!(digits, json!({ "duration_ms": 6, "cost_usd": 5_000_000_000_i64 }));
    }

    #[test]
    fn conditions_restrict_a_value() {
        let rules = json!({ "status": { "constant": "error", "match": { "code": "*" }, "unless": { "code": "200" } } });
        for (body, expected) in
            [(r#"{"code":500}"#, "error"), (r#"{"code":200}"#, "success"), ("{}", "success")]
        {
            assert_eq!(fields_of::<false>(body, &rules)["status"], expected, "{body}");
        }
    }

    #[test]
    fn the_last_segment_of_a_path_is_the_text_behind_its_last_separator() {
        for (text, segment) in [
            ("/home/u/app//", "app"),
            (r"C:\work\my app\", "my app"),
            (r"/a\b", "b"),
            ("app", "app"),
            (r"/\/", ""),
        ] {
            assert_eq!(last_segment(Cow::Borrowed(text)), segment, "{text}");
            assert_eq!(last_segment(Cow::Owned(text.to_owned())), segment, "{text}");
        }
    }
}
