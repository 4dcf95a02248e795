//! Writes the result lines to stdout, in the order of the batches (rule PRO-13).
//!
//! Invariant: a parent that does not read delays only these lines, and then the reading of standard input.

use std::future::Future;
use std::pin::Pin;

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use crate::error::Failure;
use crate::event::Outcomes;
use crate::input::batch::Place;
use crate::platform::write_output;
use crate::render::outcomes::{batch_json, failure_json};

/// Largest number of results that wait for earlier ones.
const WAITING: usize = 64;

/// Largest number of lines that wait for the writing thread.
const WAITING_LINES: usize = 16;

/// The outcomes of a batch and a revision that includes its events, or the failure.
pub(super) type Stored = Pin<Box<dyn Future<Output = Result<(Outcomes, i64), Failure>> + Send>>;

/// Results in the order of their batches.
#[derive(Debug)]
pub struct Results {
    queue: mpsc::Sender<Waiting>,
}

struct Waiting(Place, Stored);

impl Results {
    /// Starts the task that writes; the handle ends when `self` is dropped and all results are written.
    pub fn start() -> (Self, JoinHandle<()>) {
        let (queue, mut waiting) = mpsc::channel(WAITING);
        let (lines, written) = write_lines();
        let task = tokio::spawn(async move {
            while let Some(Waiting(place, stored)) = waiting.recv().await {
                let line = match stored.await {
                    Ok((outcomes, revision)) => batch_line(place, outcomes, revision),
                    Err(failure) => failure_line(place, &failure),
                };
                if lines.send(line).await.is_err() {
                    break;
                }
            }
            drop(lines);
            written.closed().await;
        });
        (Self { queue }, task)
    }

    /// Adds the next result; waits for room while too many results wait.
    pub(super) async fn add(&self, place: Place, stored: Stored) {
        drop(self.queue.send(Waiting(place, stored)).await);
    }
}

/// Starts a thread that writes lines. Returns their channel, and a channel that closes when all are written.
fn write_lines() -> (mpsc::Sender<String>, mpsc::Sender<()>) {
    let (lines, mut waiting) = mpsc::channel::<String>(WAITING_LINES);
    let (written, alive) = mpsc::channel::<()>(1);
    let write = move || {
        let _alive = alive;
        let output = std::io::stdout();
        let mut is_open = true;
        while let Some(mut text) = waiting.blocking_recv() {
            while let Ok(line) = waiting.try_recv() {
                text.push_str(&line);
            }
            // A parent that has closed its end needs no lines; its events are stored in any case.
            is_open = is_open && write_output(&output, text.as_bytes());
        }
    };
    drop(std::thread::Builder::new().name("results".to_owned()).spawn(write));
    (lines, written)
}

/// Returns the line of a stored batch.
fn batch_line(place: Place, mut outcomes: Outcomes, revision: i64) -> String {
    if let Place::Lines { first, .. } = place {
        let before = usize::try_from(first - 1).unwrap_or(usize::MAX);
        outcomes.lines.iter_mut().for_each(|line| *line = line.saturating_add(before));
    }
    line("batch", place, &batch_json(&outcomes, revision, false))
}

/// Returns the line of a failed batch.
fn failure_line(place: Place, failure: &Failure) -> String {
    line("failure", place, &failure_json(failure))
}

/// Returns the members of an object, after the kind of the line and the place of the batch.
fn line(event: &str, place: Place, object: &str) -> String {
    let members = object.strip_prefix('{').unwrap_or(object);
    match place {
        Place::Lines { first, last } => {
            format!("{{\"event\":\"{event}\",\"first_line\":{first},\"last_line\":{last},{members}\n")
        }
        Place::Frame(number) => format!("{{\"event\":\"{event}\",\"frame\":{number},{members}\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorCode;
    use crate::event::{FieldError, Outcome};

    #[test]
    fn a_result_line_counts_lines_of_the_whole_input() {
        let error = FieldError { field: "body", message: "must be valid JSON".to_owned() };
        let outcomes =
            Outcomes { events: vec![Outcome::Stored(7), Outcome::Rejected(vec![error])], lines: vec![1, 3] };
        assert_eq!(
            batch_line(Place::Lines { first: 11, last: 13 }, outcomes, 7),
            "{\"event\":\"batch\",\"first_line\":11,\"last_line\":13,\"received\":1,\"ids\":[7],\"duplicates\":0,\
             \"rejected\":[{\"index\":1,\"line\":13,\"errors\":[\"body: must be valid JSON\"]}],\"revision\":\"7\"}\n"
        );
    }

    #[test]
    fn a_failure_line_has_the_members_of_an_http_answer() {
        let failure = Failure::new(ErrorCode::PayloadTooLarge).with("limit", 9);
        assert_eq!(
            failure_line(Place::Frame(3), &failure),
            "{\"event\":\"failure\",\"frame\":3,\"error\":\"Request body is too large\",\"code\":\"payload_too_large\",\
             \"limit\":9}\n"
        );
    }
}
