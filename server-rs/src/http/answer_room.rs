//! Bounds the bytes of answers that clients have not taken (rule HTT-15).
//!
//! A client that reads nothing costs as much as its answer has bytes. So above the bound the server closes the
//! connections that have taken nothing for the longest time. Other clients neither wait nor pay for them.
//!
//! Invariant: the answers of the room hold at most its bytes, and the newest answer. Bytes that several clients share
//! count once.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};

use crate::contract::LIMITS;
use crate::http::connection::Wire;

/// The room for answers that clients have not taken.
#[derive(Debug)]
pub struct AnswerRoom {
    most: usize,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    held: usize,
    next: u64,
    answers: BTreeMap<u64, Answer>,
    /// By address.
    memories: HashMap<usize, Memory>,
}

/// Memory that one or more answers are in.
#[derive(Debug)]
struct Memory {
    bytes: usize,
    answers: usize,
}

/// A part of an answer that waits for its client.
#[derive(Debug)]
struct Answer {
    wire: Arc<Wire>,
    address: usize,
    made: Instant,
}

impl Answer {
    /// Returns how long the client has taken nothing of the part.
    fn idle(&self) -> Duration {
        self.wire.idle().min(self.made.elapsed())
    }
}

impl State {
    fn add(&mut self, answer: Answer, bytes: usize) -> u64 {
        let number = self.next;
        self.next += 1;
        let memory = self.memories.entry(answer.address).or_insert(Memory { bytes, answers: 0 });
        memory.answers += 1;
        if memory.answers == 1 {
            self.held += bytes;
        }
        self.answers.insert(number, answer);
        number
    }

    fn remove(&mut self, number: u64) -> Option<Answer> {
        let answer = self.answers.remove(&number)?;
        if let Some(memory) = self.memories.get_mut(&answer.address) {
            memory.answers -= 1;
            if memory.answers == 0 {
                self.held -= memory.bytes;
                self.memories.remove(&answer.address);
            }
        }
        Some(answer)
    }

    /// Returns the part of which nothing was taken for the longest time, except for one; of equal ones the oldest.
    fn slowest(&self, except: u64) -> Option<u64> {
        let others = self.answers.iter().rev().filter(|(number, _)| **number != except);
        others.max_by_key(|(_, answer)| answer.idle()).map(|(number, _)| *number)
    }
}

impl AnswerRoom {
    /// Creates a room for this many bytes.
    pub fn new(most: usize) -> Arc<Self> {
        Arc::new(Self { most, state: Mutex::default() })
    }

    /// Counts these bytes until they are dropped. Closes the slowest connections when the room is full.
    pub fn hold(self: &Arc<Self>, wire: &Arc<Wire>, bytes: Bytes) -> Bytes {
        if bytes.len() < LIMITS.answer_room_least_bytes {
            return bytes;
        }
        let address = bytes.as_ptr().addr();
        let answer = Answer { wire: Arc::clone(wire), address, made: Instant::now() };
        let mut state = self.state();
        let number = state.add(answer, bytes.len());
        while state.held > self.most {
            let Some(slowest) = state.slowest(number).and_then(|slowest| state.remove(slowest)) else {
                break;
            };
            slowest.wire.cut();
        }
        drop(state);
        Bytes::from_owner(Part { _place: Place { room: Arc::clone(self), number }, bytes })
    }

    /// Returns a body that counts in the room from the moment when it is to be sent.
    pub(super) fn body(self: &Arc<Self>, wire: &Arc<Wire>, body: Body) -> RoomBody {
        RoomBody { room: Arc::clone(self), wire: Arc::clone(wire), body }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The bytes of a part. The place is dropped first, since another allocation may take the address afterwards.
struct Part {
    _place: Place,
    bytes: Bytes,
}

impl AsRef<[u8]> for Part {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

struct Place {
    room: Arc<AnswerRoom>,
    number: u64,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.room.state().remove(self.number);
    }
}

/// A body whose bytes count in the room.
#[derive(Debug)]
pub(super) struct RoomBody {
    room: Arc<AnswerRoom>,
    wire: Arc<Wire>,
    body: Body,
}

impl http_body::Body for RoomBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let polled = Pin::new(&mut this.body).poll_frame(cx);
        polled.map(|frame| {
            frame.map(|frame| frame.map(|frame| frame.map_data(|bytes| this.room.hold(&this.wire, bytes))))
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PART: usize = 100_000;

    fn bytes() -> Bytes {
        Bytes::from(vec![0; PART])
    }

    fn held(room: &AnswerRoom) -> usize {
        room.state().held
    }

    #[test]
    fn answer_room_closes_the_slowest_connection_alone() {
        let room = AnswerRoom::new(2 * PART);
        let [slow, quick, new] = [Wire::new(), Wire::new(), Wire::new()];
        let first = room.hold(&quick, bytes());
        let second = room.hold(&slow, bytes());
        std::thread::sleep(Duration::from_millis(20));
        quick.take();
        let third = room.hold(&new, bytes());
        assert_eq!([slow.is_cut(), quick.is_cut(), new.is_cut()], [true, false, false]);
        assert_eq!(held(&room), 2 * PART);
        drop((first, second, third));
        assert_eq!(held(&room), 0);
    }

    #[test]
    fn answer_room_counts_shared_bytes_once_and_short_ones_not_at_all() {
        let room = AnswerRoom::new(PART);
        let (shared, wires) = (bytes(), [Wire::new(), Wire::new(), Wire::new()]);
        let parts = wires.each_ref().map(|wire| room.hold(wire, shared.clone()));
        let short = room.hold(&wires[0], Bytes::from(vec![0; LIMITS.answer_room_least_bytes - 1]));
        assert_eq!(held(&room), PART);
        assert!(wires.iter().all(|wire| !wire.is_cut()));
        drop((parts, short));
        assert_eq!(held(&room), 0);
    }

    #[test]
    fn answer_room_takes_one_answer_above_its_size() {
        let room = AnswerRoom::new(PART / 2);
        let wire = Wire::new();
        let part = room.hold(&wire, bytes());
        assert!(!wire.is_cut());
        assert_eq!(part.len(), PART);
    }
}
