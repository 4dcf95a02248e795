//! Tests that this server's own lists match `contract/`, which black-box cases cannot check.

use std::fs;
use std::path::{Path, PathBuf};

use ingest_server::contract::{PRAGMAS, REPORTED_PRAGMAS, SCHEMA, VOCABULARY};
use ingest_server::error::ErrorCode;
use ingest_server::formats::Format;
use ingest_server::queries::LOADS;
use ingest_server::store::schema::create_schema;
use ingest_server::store::sealed_texts::add_sealed_text_functions;
use ingest_server::store::text_search::add_text_function;
use ingest_server::store::whole_texts::add_whole_text_functions;
use ingest_server::topics::Topic;
use rusqlite::{Connection, StatementStatus};

fn contract(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../contract").join(path)
}

#[test]
fn a_code_is_parsed_from_its_name_and_has_the_status_of_an_error() {
    for code in ErrorCode::ALL {
        assert_eq!(ErrorCode::parse(code.as_str()), Some(code));
        assert!((400..=599).contains(&code.error_spec().status));
    }
}

#[test]
fn formats_match_formats_json_and_its_order() {
    let file = fs::read_to_string(contract("formats.json")).expect("readable");
    let file: serde_json::Value = serde_json::from_str(&file).expect("JSON");
    let names = file["formats"].as_object().expect("an object").keys().map(String::as_str);
    assert!(names.eq(Format::ALL.map(Format::name)));
}

#[test]
fn topics_match_the_vocabulary_and_its_order() {
    assert_eq!(Topic::GLOBAL.map(|topic| topic.name().into_owned()).as_slice(), VOCABULARY.topics);
}

#[test]
fn every_pragma_of_the_contract_is_reported() {
    let set = PRAGMAS.matches("PRAGMA ").count();
    assert_eq!(REPORTED_PRAGMAS.len(), set + 2);
    assert_eq!(REPORTED_PRAGMAS.first(), Some(&"journal_mode"));
    assert_eq!(REPORTED_PRAGMAS[set..], ["synchronous", "page_size"]);
}

#[test]
fn every_load_file_is_embedded_with_the_number_in_its_name_at_most_that_of_the_schema() {
    let mut found: Vec<(i64, String)> = Vec::new();
    for file in fs::read_dir(contract("loads")).expect("readable") {
        let file = file.expect("readable");
        let number = file.file_name().to_string_lossy()[..4].parse().expect("a number");
        found.push((number, fs::read_to_string(file.path()).expect("readable")));
    }
    found.sort_unstable();
    assert_eq!(found, LOADS.map(|(number, sql)| (number, sql.to_owned())));
    assert!(found.iter().all(|(number, _)| *number <= SCHEMA.number));
}

/// When a statement's plan depends on a bound value, SQLite prepares it again at each new value. `LIMIT ?1`
/// is such a parameter, `LIMIT +?1` is not. The preparation takes 0.4 ms, and reading a page of rows takes
/// 0.02 ms.
#[test]
fn no_statement_is_prepared_again_for_new_values() {
    let connection = Connection::open_in_memory().expect("a database");
    create_schema(&connection).expect("a schema");
    add_text_function(&connection).expect("a function");
    add_sealed_text_functions(&connection).expect("functions");
    add_whole_text_functions(&connection).expect("functions");
    let (mut looked, mut again) = (0, Vec::new());
    for file in fs::read_dir(contract("queries")).expect("readable") {
        let path = file.expect("readable").path();
        let mut statement =
            connection.prepare(&fs::read_to_string(&path).expect("readable")).expect("a statement");
        for value in [Some(1), Some(2), None] {
            for parameter in 1..=statement.parameter_count() {
                statement.raw_bind_parameter(parameter, value).expect("bound");
            }
            // The result does not matter here.
            let mut rows = statement.raw_query();
            while let Ok(Some(_)) = rows.next() {}
        }
        if statement.get_status(StatementStatus::RePrepare) > 0 {
            again.push(path);
        }
        looked += 1;
    }
    assert_eq!(again, <Vec<PathBuf>>::new());
    assert!(looked > 30, "{looked} statements");
}
