//! Lists every error answer: a stable code, and the members that go with it.
//!
//! `contract/vocabulary.json` holds the status, public text and `Retry-After` of each code; `tests/contract.rs`
//! checks that this enum matches it. This module knows nothing of HTTP types; `http/reply` turns a failure into an
//! answer.

use std::sync::LazyLock;

use serde_json::{Map, Value};

use crate::contract::{ErrorSpec, VOCABULARY};

macro_rules! codes {
    ($($variant:ident = $code:literal,)*) => {
        /// The error codes of the contract (rule HTT-01).
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[expect(missing_docs, reason = "each is explained by its text in contract/vocabulary.json")]
        pub enum ErrorCode { $($variant,)* }

        impl ErrorCode {
            /// All codes, in the order of their discriminants.
            pub const ALL: &'static [ErrorCode] = &[$(ErrorCode::$variant,)*];

            /// Returns the code as clients read it.
            pub fn as_str(self) -> &'static str {
                match self { $(ErrorCode::$variant => $code,)* }
            }
        }
    };
}

codes! {
    InvalidJson = "invalid_json",
    InvalidMsgpack = "invalid_msgpack",
    InvalidProtobuf = "invalid_protobuf",
    InvalidOtlp = "invalid_otlp",
    InvalidEvent = "invalid_event",
    InvalidBatch = "invalid_batch",
    InvalidParameter = "invalid_parameter",
    BadRequest = "bad_request",
    Unauthorized = "unauthorized",
    ForbiddenHost = "forbidden_host",
    ForbiddenOrigin = "forbidden_origin",
    NotFound = "not_found",
    MethodNotAllowed = "method_not_allowed",
    NotAcceptable = "not_acceptable",
    RequestTimeout = "request_timeout",
    AttachmentExists = "attachment_exists",
    BackupRunning = "backup_running",
    ClusterUnsupported = "cluster_unsupported",
    PayloadTooLarge = "payload_too_large",
    AnswerTooLarge = "answer_too_large",
    BatchTooLarge = "batch_too_large",
    UriTooLong = "uri_too_long",
    UnsupportedMediaType = "unsupported_media_type",
    UnsupportedEncoding = "unsupported_encoding",
    RangeNotSatisfiable = "range_not_satisfiable",
    ExpectationFailed = "expectation_failed",
    DigestMismatch = "digest_mismatch",
    HeadersTooLarge = "headers_too_large",
    Internal = "internal",
    Overloaded = "overloaded",
    Draining = "draining",
    StorageBusy = "storage_busy",
    StorageError = "storage_error",
    StorageCorrupt = "storage_corrupt",
    StorageLost = "storage_lost",
    ReadOnly = "read_only",
    ClusterUnavailable = "cluster_unavailable",
    ClusterBehind = "cluster_behind",
    StreamLimit = "stream_limit",
    StorageFull = "storage_full",
    AttachmentsFull = "attachments_full",
}

static SPECS: LazyLock<Vec<&'static ErrorSpec>> = LazyLock::new(|| {
    ErrorCode::ALL
        .iter()
        .map(|code| {
            VOCABULARY.errors.get(code.as_str()).expect("tests/contract.rs holds the two lists equal")
        })
        .collect()
});

impl ErrorCode {
    /// Returns its status, text and `Retry-After` from the contract.
    pub fn error_spec(self) -> &'static ErrorSpec {
        SPECS[self as usize]
    }

    /// Returns the code with this name.
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|known| known.as_str() == code)
    }
}

/// A code, further members of the answer, and whether the connection closes.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// The stable code.
    pub code: ErrorCode,
    /// Members of the answer after `error` and `code`, in their order.
    pub members: Map<String, Value>,
    /// Whether the connection closes after this answer.
    pub close: bool,
}

impl Failure {
    /// Creates a failure with only a code.
    pub fn new(code: ErrorCode) -> Self {
        Self { code, members: Map::new(), close: false }
    }

    /// Adds a member.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// Makes the connection close after the answer.
    #[must_use]
    pub fn closing(mut self) -> Self {
        self.close = true;
        self
    }
}

impl From<ErrorCode> for Failure {
    fn from(code: ErrorCode) -> Self {
        Self::new(code)
    }
}
