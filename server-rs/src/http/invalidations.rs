//! Handles `GET /api/stream?mode=invalidate`: the changed topics and their revisions (rules SYN-02 to SYN-04).
//! `invalidations` decides which topics are due, and when.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use http::Method;

use crate::app::App;
use crate::contract::routes::Parameter;
use crate::http::exchange::Exchange;
use crate::http::frames::{Source, invalidate_frames, retry_field, send_frames, stream_limit};
use crate::http::reply;
use crate::invalidations::Subscription;
use crate::topics::Topic;

/// Answers with the stream in this mode.
pub(crate) async fn open_invalidations(app: &Arc<App>, method: &Method, exchange: &Exchange) -> reply::Reply {
    if method == Method::HEAD {
        return Ok(reply::stream(reply::without_length()));
    }
    let parameters = &exchange.parameters;
    let min_interval = parameters.number(Parameter::MinIntervalMs).and_then(|ms| u64::try_from(ms).ok());
    let min_interval = Duration::from_millis(min_interval.unwrap_or_default());
    let subscription = app.invalidations.subscribe(parameters.topics().to_vec(), min_interval).await?;
    let subscription = subscription.ok_or_else(|| stream_limit(app))?;
    let changes = Changes { subscription, app: Arc::clone(app), is_first: true };
    Ok(reply::stream(send_frames(app, exchange, None, changes)))
}

struct Changes {
    subscription: Subscription,
    app: Arc<App>,
    is_first: bool,
}

impl Source for Changes {
    async fn next(&mut self) -> Option<Bytes> {
        let due = self.subscription.next().await?;
        let frames = self.app.shared_frames.of(due, self.app.store.epoch());
        if std::mem::take(&mut self.is_first) {
            return Some([retry_field().as_bytes(), &frames].concat().into());
        }
        Some(frames)
    }
}

/// The newest frames of each set of common topics. Clients with the same due topics share one encoding.
#[derive(Debug, Default)]
pub struct SharedFrames(Mutex<HashMap<u32, (i64, Bytes)>>);

impl SharedFrames {
    /// Returns the frames of the due topics, in order.
    fn of<'a>(&self, due: impl Iterator<Item = (&'a Topic, i64)> + Clone, epoch: &str) -> Bytes {
        let Some((key, revision)) = key(due.clone()) else {
            return invalidate_frames(due, epoch);
        };
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.get(&key) {
            Some((of, frames)) if *of == revision => frames.clone(),
            _ => {
                let frames = invalidate_frames(due, epoch);
                kept.insert(key, (revision, frames.clone()));
                frames
            }
        }
    }
}

/// Returns a number for these topics in this order, and the revision that they share. Returns `None` where a topic is
/// a session or has another revision. There are as many keys as orders of three topics.
fn key<'a>(mut due: impl Iterator<Item = (&'a Topic, i64)> + Clone) -> Option<(u32, i64)> {
    let (_, revision) = due.clone().next()?;
    let key = due.try_fold(0, |key, (topic, of)| {
        let digit = match topic {
            Topic::Events => 1,
            Topic::Stats => 2,
            Topic::Sessions => 3,
            Topic::Session(_) => return None,
        };
        (of == revision).then_some(key << 2 | digit)
    })?;
    Some((key, revision))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_with_the_same_due_topics_share_one_encoding() {
        let shared = SharedFrames::default();
        let of = |due: &[(Topic, i64)]| shared.of(due.iter().map(|(topic, at)| (topic, *at)), "e");
        let both = [(Topic::Events, 7), (Topic::Stats, 7)];
        let first = of(&both);
        assert_eq!(
            first,
            "event: invalidate\ndata: {\"topic\":\"events\",\"revision\":\"7\",\"epoch\":\"e\"}\n\n\
             event: invalidate\ndata: {\"topic\":\"stats\",\"revision\":\"7\",\"epoch\":\"e\"}\n\n"
        );
        assert_eq!(of(&both).as_ptr(), first.as_ptr());
        let others: [&[(Topic, i64)]; 6] = [
            &[(Topic::Events, 8), (Topic::Stats, 8)],
            &[(Topic::Stats, 7), (Topic::Events, 7)],
            &[(Topic::Events, 7)],
            &[(Topic::Events, 7), (Topic::Stats, 8)],
            &[(Topic::Session("s".into()), 7)],
            &[(Topic::Events, 7), (Topic::Session("s".into()), 7)],
        ];
        for due in others {
            let expected = invalidate_frames(due.iter().map(|(topic, at)| (topic, *at)), "e");
            assert_eq!(of(due), expected);
            assert_eq!(of(due), expected);
        }
    }
}
