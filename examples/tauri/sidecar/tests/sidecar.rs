//! Tests the sidecar with the built server: URL, login, end with the app, also after kill -9 of the app.
//!
//! `SIDECAR_PROGRAM` names the server; by default it is the one that `pnpm rust:build` builds.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ingest_sidecar::Sidecar;

fn program() -> PathBuf {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../target/release/ingest-server");
    std::env::var_os("SIDECAR_PROGRAM").map_or_else(|| PathBuf::from(built), PathBuf::from)
}

/// Sends a GET; returns the status line and the rest, or `None` when no server listens.
fn get(url: &str, headers: &str) -> Option<String> {
    let (host, path) = url.strip_prefix("http://")?.split_once('/').unwrap_or((&url[7..], ""));
    let mut stream = TcpStream::connect(host).ok()?;
    write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n{headers}\r\n").ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    Some(answer)
}

fn status(answer: Option<String>) -> String {
    answer.and_then(|text| text.get(9..12).map(str::to_owned)).unwrap_or_default()
}

#[test]
fn the_window_signs_in_once_and_the_app_uses_the_token() {
    let data = tempfile::tempdir().expect("a folder");
    let sidecar = Sidecar::start(&program(), data.path()).expect("the server starts");
    assert_eq!(status(get(&format!("{}/api/events", sidecar.url), "")), "401");
    let opened = get(&sidecar.login_url, "").expect("the server listens");
    assert!(opened.starts_with("HTTP/1.1 303") && opened.contains("ingest_session_"), "{opened}");
    assert_eq!(status(get(&sidecar.login_url, "")), "401", "valid once");
    let token = std::fs::read_to_string(&sidecar.token_file).expect("a token file");
    assert!(!sidecar.login_url.contains(token.trim()));
    let header = format!("Authorization: Bearer {}\r\n", token.trim());
    assert_eq!(status(get(&format!("{}/api/events", sidecar.url), &header)), "200");
    let url = sidecar.url.clone();
    assert_eq!(sidecar.stop().expect("it ends").code(), Some(0));
    assert_eq!(get(&format!("{url}/livez"), ""), None);
    let again = Sidecar::start(&program(), data.path()).expect("the server starts again");
    assert_eq!(std::fs::read_to_string(&again.token_file).expect("a token file"), token, "the token stays");
}

#[test]
fn a_start_that_fails_reports_the_exit_code() {
    let data = tempfile::tempdir().expect("a folder");
    std::fs::write(data.path().join("events.db"), "no database").expect("a file");
    let error = Sidecar::start(&program(), data.path()).expect_err("it is not SQLite");
    assert!(error.to_string().contains("65"), "{error}");
    assert!(Sidecar::start(Path::new("/nonexistent"), data.path()).is_err());
}

#[test]
fn a_start_waits_for_the_server_that_still_ends() {
    let data = tempfile::tempdir().expect("a folder");
    let old = Sidecar::start(&program(), data.path()).expect("the server starts");
    let url = old.url.clone();
    let ending = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(500));
        old.stop()
    });
    let next = Sidecar::start(&program(), data.path()).expect("the database gets free");
    assert_eq!(get(&format!("{url}/livez"), ""), None, "one server at a time");
    assert_eq!(ending.join().expect("no panic").expect("it ends").code(), Some(0));
    drop(next);
}

#[test]
fn the_server_ends_within_a_second_after_kill_9_of_the_app() {
    let data = tempfile::tempdir().expect("a folder");
    let app = PathBuf::from(env!("CARGO_BIN_EXE_sidecar-app"));
    let mut child = Command::new(app)
        .arg(program())
        .arg(data.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the app starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
    let (_, url) = line.trim().split_once(' ').expect("pid and URL");
    assert_eq!(status(get(&format!("{url}/livez"), "")), "200");
    child.kill().expect("SIGKILL");
    child.wait().expect("it ended");
    let killed = Instant::now();
    while get(&format!("{url}/livez"), "").is_some() {
        assert!(killed.elapsed() < Duration::from_secs(1), "the server still runs");
        std::thread::sleep(Duration::from_millis(10));
    }
    let next = Sidecar::start(&program(), data.path()).expect("the database is free");
    drop(next);
}
