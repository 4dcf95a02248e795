//! Metadata above its limit becomes a summary that is still valid JSON (rule MET-02).
//!
//! Pure. The text has been scanned before, so it is valid JSON.

use crate::contract::VOCABULARY;
use crate::json::visit_members;

/// The summary of metadata that is larger than `limit` bytes; `None` when it fits as it is.
pub fn truncate_metadata(text: &str, limit: usize) -> Option<String> {
    if text.len() <= limit {
        return None;
    }
    let keys = &VOCABULARY.summary_keys;
    let mut values: Vec<Option<&str>> = vec![None; keys.len()];
    if text.starts_with('{') {
        let bytes = text.as_bytes();
        let scanned = visit_members(text, |name, value| {
            // Of a key given twice the last counts, so a later one replaces an earlier one.
            if let Some(at) = keys.iter().position(|key| name.key_is(key, bytes)) {
                values[at] = Some(value);
            }
        });
        debug_assert!(scanned.is_ok(), "metadata was scanned with its body");
    }
    let mut summary = format!("{{\"_truncated\":true,\"_original_bytes\":{}", text.len());
    for (key, value) in keys.iter().zip(values) {
        let Some(value) = value else { continue };
        // `,"key":value` and the brace that closes the summary.
        if summary.len() + key.len() + value.len() + 5 <= limit {
            summary.push_str(",\"");
            summary.push_str(key);
            summary.push_str("\":");
            summary.push_str(value);
        }
    }
    summary.push('}');
    Some(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_keys_that_fit_in_the_order_of_the_contract() {
        let big = "x".repeat(300);
        let text =
            format!(r#"{{"type":"t","other":"{big}","query":"{big}","error": {{"a":1}},"\u0065rror":2.50}}"#);
        let expected =
            format!(r#"{{"_truncated":true,"_original_bytes":{},"error":2.50,"type":"t"}}"#, text.len());
        assert_eq!(truncate_metadata(&text, 256).as_deref(), Some(expected.as_str()));
    }

    #[test]
    fn fits_to_the_last_byte() {
        let text = |n: usize| format!(r#"{{"path":"{}","z":"{}"}}"#, "p".repeat(n), "z".repeat(300));
        let lengths: Vec<usize> =
            (190..230).map(|n| truncate_metadata(&text(n), 256).map_or(0, |summary| summary.len())).collect();
        assert_eq!(lengths.iter().max(), Some(&256));
        assert!(
            lengths.contains(&40) || lengths.iter().any(|&len| len < 60),
            "one that does not fit is left out"
        );
    }

    #[test]
    fn anything_but_an_object_becomes_the_markers() {
        let text = format!("[\"{}\"]", "é".repeat(200));
        assert_eq!(
            truncate_metadata(&text, 256).as_deref(),
            Some(r#"{"_truncated":true,"_original_bytes":404}"#)
        );
        assert_eq!(truncate_metadata("[1]", 256), None);
    }
}
