//! Opens the bucket of a stream, an object store of NATS, reads, lists and removes objects (rules CLU-14 to CLU-17).

use std::collections::HashSet;
use std::time::Duration;

use async_nats::jetstream::ErrorCode as StreamError;
use async_nats::jetstream::context::GetStreamErrorKind;
use async_nats::jetstream::object_store::{InfoErrorKind, ObjectStore};
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE;
use bytes::Bytes;
use futures_util::{StreamExt, TryStreamExt};

use crate::cluster::link::{Link, UNREACHABLE};
use crate::contract::LIMITS;

/// The bucket of a stream.
#[derive(Debug)]
pub(super) struct Bucket {
    pub(super) link: Link,
}

/// The objects of a bucket, and the chunks that none of them names.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// Each object and the id of its chunks.
    pub(super) objects: Vec<(String, String)>,
    /// Ids of chunks without an object.
    pub(super) leftovers: Vec<String>,
}

/// The chunks of an object. Each is one request. The library reads with a consumer for each object, and NATS refuses more
/// than 1,000 consumers of a stream.
#[derive(Debug)]
pub(super) struct Chunks {
    stream: Stream,
    subject: String,
    /// The sequence at which the next chunk may be.
    sequence: u64,
    waiting: usize,
}

impl Chunks {
    /// Returns the next chunk; `None` after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, &'static str> {
        if self.waiting == 0 {
            return Ok(None);
        }
        let message = self.stream.get_first_raw_message_by_subject(&self.subject, self.sequence);
        let message = within(message).await?.map_err(|_| UNREACHABLE)?;
        self.sequence = message.sequence + 1;
        self.waiting -= 1;
        Ok(Some(message.payload))
    }
}

impl Bucket {
    /// Returns the object store; `None` when it does not exist.
    pub(super) async fn open(&self) -> Result<Option<ObjectStore>, String> {
        if self.stream().await?.is_none() {
            return Ok(None);
        }
        let store = self.link.context.get_object_store(&self.link.source.name).await;
        store.map(Some).map_err(|error| error.to_string())
    }

    /// Returns the object store, and creates it first if it does not exist.
    pub(super) async fn open_or_create(&self) -> Result<ObjectStore, String> {
        if let Some(store) = self.open().await? {
            return Ok(store);
        }
        let events = self.link.context.get_stream(&self.link.source.name).await;
        let replicas = events.map_err(|error| error.to_string())?.cached_info().config.num_replicas;
        let config = Config {
            name: self.stream_name(),
            subjects: vec![self.subject("C", ">"), self.subject("M", ">")],
            storage: StorageType::File,
            num_replicas: replicas,
            discard: DiscardPolicy::New,
            allow_rollup: true,
            // Reads ask the leader, so that a follower that is behind hides no object.
            allow_direct: false,
            max_bytes: -1,
            max_messages: -1,
            max_messages_per_subject: -1,
            ..Config::default()
        };
        self.link.context.create_stream(config).await.map_err(|error| error.to_string())?;
        self.open().await?.ok_or_else(|| "the bucket is gone".to_owned())
    }

    /// Returns the chunks of an object; `None` when it does not exist.
    pub(super) async fn read(&self, name: &str) -> Result<Option<Chunks>, String> {
        let Some(store) = self.open().await? else { return Ok(None) };
        let found = match store.info(name).await {
            Ok(found) if found.deleted => return Ok(None),
            Ok(found) => found,
            Err(error) if error.kind() == InfoErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.to_string()),
        };
        let Some(stream) = self.stream().await? else { return Ok(None) };
        let subject = self.subject("C", &found.nuid);
        Ok(Some(Chunks { stream, subject, sequence: 1, waiting: found.chunks }))
    }

    /// Lists the bucket; `None` when NATS does not answer.
    pub(super) async fn list(&self) -> Option<Listing> {
        let Some(store) = self.open().await.ok()? else { return Some(Listing::default()) };
        let stream = self.stream().await.ok()??;
        // Before the objects: chunks whose object comes meanwhile are then no leftovers.
        let prefix = self.subject("C", "");
        let subjects = stream.info_with_subjects(format!("{prefix}>")).await.ok()?;
        let chunks: Vec<(String, usize)> = subjects.try_collect().await.ok()?;
        let mut objects = Vec::new();
        let mut list = store.list().await.ok()?;
        while let Some(info) = within(list.next()).await.ok()? {
            let info = info.ok()?;
            objects.push((info.name, info.nuid));
        }
        let named: HashSet<&str> = objects.iter().map(|(_, chunks)| chunks.as_str()).collect();
        let ids = chunks.iter().filter_map(|(subject, _)| subject.strip_prefix(&prefix));
        let leftovers = ids.filter(|id| !named.contains(id)).map(str::to_owned).collect();
        Some(Listing { objects, leftovers })
    }

    /// Removes an object, if it has a name, and its chunks; returns whether NATS has done so.
    pub(super) async fn remove(&self, name: Option<&str>, chunks: &str) -> bool {
        let Ok(Some(stream)) = self.stream().await else { return false };
        let object = name.map(|name| self.subject("M", &URL_SAFE.encode(name)));
        for subject in object.into_iter().chain([self.subject("C", chunks)]) {
            if stream.purge().filter(subject).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Returns the stream that holds the bucket; `None` when it does not exist.
    async fn stream(&self) -> Result<Option<Stream>, String> {
        match self.link.context.get_stream(self.stream_name()).await {
            Ok(stream) => Ok(Some(stream)),
            Err(error) => match error.kind() {
                GetStreamErrorKind::JetStream(known)
                    if known.error_code() == StreamError::STREAM_NOT_FOUND =>
                {
                    Ok(None)
                }
                _ => Err(error.to_string()),
            },
        }
    }

    fn stream_name(&self) -> String {
        format!("OBJ_{}", self.link.source.name)
    }

    /// Returns a subject of the bucket: `M` for objects, `C` for chunks.
    fn subject(&self, kind: &str, token: &str) -> String {
        format!("$O.{}.{kind}.{token}", self.link.source.name)
    }
}

/// Waits a bounded time for an answer of NATS.
pub(super) async fn within<T>(answer: impl Future<Output = T>) -> Result<T, &'static str> {
    let most = Duration::from_millis(LIMITS.cluster_answer_ms);
    tokio::time::timeout(most, answer).await.map_err(|_| UNREACHABLE)
}
