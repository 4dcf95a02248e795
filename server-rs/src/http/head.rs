//! What the raw bytes of a request's head must be, before a parser sees them (rules HTT-06 to HTT-08).
//!
//! hyper hides what these rules need: repeated `Content-Length`, `Content-Length` beside `Transfer-Encoding`,
//! line ends, sizes. So the bytes are looked at first, line by line as they arrive.

use crate::contract::LIMITS;
use crate::error::ErrorCode;

/// Why a request never reaches a route.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// 400 without a body.
    Bare,
    /// An answer of the contract.
    Code(ErrorCode),
}

/// How a request's body is delimited (RFC 9112, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// This many bytes, possibly none.
    Length(u64),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

/// How far a head has come.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// More bytes are needed.
    Partial,
    /// The head ends before this byte.
    Complete(usize, Framing),
    /// The request breaks a rule; `true` when its method is HEAD.
    Violated(Violation, bool),
}

/// The head of one request, line by line.
#[derive(Debug, Default)]
pub struct HeadScanner {
    line_start: usize,
    /// Where the request line begins, after empty lines.
    start: usize,
    method: Option<Vec<u8>>,
    target_bytes: usize,
    headers: usize,
    hosts: usize,
    is_http_1_1: bool,
    length: Option<u64>,
    chunked: bool,
    has_transfer_encoding: bool,
    /// Broken rules that come after the sizes in the order of checks (rule HTT-02).
    later: Option<Violation>,
}

impl HeadScanner {
    /// Looks at all bytes of the head that have arrived.
    pub fn scan(&mut self, bytes: &[u8]) -> Progress {
        while let Some(length) = bytes[self.line_start..].iter().position(|&byte| byte == b'\n') {
            let end = self.line_start + length;
            let Some(line) = bytes[self.line_start..end].strip_suffix(b"\r") else {
                return self.violated(Violation::Bare);
            };
            self.line_start = end + 1;
            let line_ok = match (&self.method, line.is_empty()) {
                (None, true) => {
                    self.start = self.line_start;
                    Ok(())
                }
                (None, false) => self.request_line(line),
                (Some(_), false) => self.header(line),
                (Some(_), true) => return self.complete(self.line_start),
            };
            if let Err(violation) = line_ok {
                return self.violated(violation);
            }
        }
        if self.method.is_none() && !may_be_method(&bytes[self.line_start..]) {
            return self.violated(Violation::Bare);
        }
        if bytes.len() > LIMITS.head_hard_bytes {
            return self.violated(Violation::Code(ErrorCode::HeadersTooLarge));
        }
        Progress::Partial
    }

    fn violated(&self, violation: Violation) -> Progress {
        Progress::Violated(violation, self.method.as_deref() == Some(b"HEAD"))
    }

    fn complete(&self, end: usize) -> Progress {
        // The empty line that ends the head does not count.
        let size = end - 2 - self.start;
        let later = if self.target_bytes > LIMITS.target_bytes {
            Some(Violation::Code(ErrorCode::UriTooLong))
        } else if size > LIMITS.head_bytes || self.headers > LIMITS.header_count {
            Some(Violation::Code(ErrorCode::HeadersTooLarge))
        } else if self.has_transfer_encoding && !(self.chunked && self.is_http_1_1) {
            Some(Violation::Bare)
        } else {
            self.later.or_else(|| {
                let host_ok = if self.is_http_1_1 {
                    self.hosts == 1
                } else {
                    self.hosts <= 1
                };
                (!host_ok).then_some(Violation::Code(ErrorCode::BadRequest))
            })
        };
        match later {
            Some(violation) => self.violated(violation),
            None if self.chunked => Progress::Complete(end, Framing::Chunked),
            None => Progress::Complete(end, Framing::Length(self.length.unwrap_or(0))),
        }
    }

    /// `METHOD SP target SP HTTP/d.d`
    fn request_line(&mut self, line: &[u8]) -> Result<(), Violation> {
        let mut parts = line.splitn(3, |&byte| byte == b' ');
        let (Some(method), Some(target), Some(version)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Violation::Bare);
        };
        let known = LIMITS.http_methods.iter().any(|known| known.as_bytes() == method);
        let plain = |byte: &u8| (0x21..=0x7e).contains(byte);
        if !known || target.is_empty() || !target.iter().all(plain) {
            return Err(Violation::Bare);
        }
        self.target_bytes = target.len();
        match version {
            b"HTTP/1.1" => self.is_http_1_1 = true,
            b"HTTP/1.0" => {}
            b"HTTP/2.0" | b"HTTP/0.9" => self.later = Some(Violation::Bare),
            _ => return Err(Violation::Bare),
        }
        if method == b"CONNECT" || target.iter().any(|byte| b"\"<>\\^`{|}".contains(byte)) {
            self.later = Some(Violation::Bare);
        } else if target[0] != b'/' {
            let is_absolute = target.windows(3).any(|three| three == b"://");
            let in_known_form = target == b"*" || is_absolute && target[0].is_ascii_alphabetic();
            if !in_known_form {
                return Err(Violation::Bare);
            }
            self.later = self.later.or(Some(Violation::Code(ErrorCode::BadRequest)));
        }
        self.method = Some(method.to_vec());
        Ok(())
    }

    /// `name: value`, the name a token (RFC 9110, section 5.6.2)
    fn header(&mut self, line: &[u8]) -> Result<(), Violation> {
        let colon = line
            .iter()
            .position(|&byte| byte == b':')
            .ok_or(Violation::Bare)?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        let value_ok = |byte: &u8| matches!(byte, b'\t' | 0x20..=0x7e | 0x80..=0xff);
        if name.is_empty() || !name.iter().all(|&byte| is_token(byte)) || !value.iter().all(value_ok) {
            return Err(Violation::Bare);
        }
        self.headers += 1;
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let length = std::str::from_utf8(value)
                .ok()
                .filter(|_| digits)
                .and_then(|text| text.parse().ok());
            if self.length.is_some() || self.has_transfer_encoding || length.is_none() {
                return Err(Violation::Bare);
            }
            self.length = length;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if self.length.is_some() || self.has_transfer_encoding {
                return Err(Violation::Bare);
            }
            self.has_transfer_encoding = true;
            self.chunked = value.eq_ignore_ascii_case(b"chunked");
        }
        Ok(())
    }
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether a request line may still come of these first bytes.
fn may_be_method(bytes: &[u8]) -> bool {
    if bytes.is_empty() || bytes == b"\r" {
        return true;
    }
    let word = bytes.split(|&byte| byte == b' ').next().unwrap_or_default();
    let complete = word.len() < bytes.len();
    LIMITS.http_methods.iter().any(|known| {
        let known = known.as_bytes();
        if complete {
            known == word
        } else {
            known.starts_with(word)
        }
    })
}

/// Where a chunked body ends (RFC 9112, section 7.1).
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub enum ChunkScanner {
    /// At the first digit of a size.
    #[default]
    Size,
    /// After at least one digit.
    MoreSize(u64),
    /// In an extension.
    Extension(u64),
    /// After the CR of a size line.
    SizeEnd(u64),
    /// Inside a chunk.
    Data(u64),
    /// After a chunk, before its CR and its LF.
    DataCr,
    /// After a chunk's CR.
    DataLf,
    /// At the beginning of a trailer line.
    Trailer,
    /// Inside a trailer line.
    TrailerLine,
    /// After the CR of a trailer line.
    TrailerLf,
    /// After the CR that ends the body.
    LastLf,
    /// After the body.
    Done,
}

/// A chunked body that breaks its grammar.
#[derive(Debug, PartialEq, Eq)]
pub struct BadChunk;

impl ChunkScanner {
    /// Takes bytes in; how many of them belong to the body.
    pub fn scan(&mut self, bytes: &[u8]) -> Result<usize, BadChunk> {
        let mut at = 0;
        while at < bytes.len() && *self != ChunkScanner::Done {
            if let ChunkScanner::Data(left) = *self {
                let taken = usize::try_from(left).unwrap_or(usize::MAX).min(bytes.len() - at);
                at += taken;
                let left = left - taken as u64;
                *self = if left == 0 {
                    ChunkScanner::DataCr
                } else {
                    ChunkScanner::Data(left)
                };
                continue;
            }
            *self = self.step(bytes[at])?;
            at += 1;
        }
        Ok(at)
    }

    fn step(self, byte: u8) -> Result<Self, BadChunk> {
        use ChunkScanner::{
            Data, DataCr, DataLf, Done, Extension, LastLf, MoreSize, Size, SizeEnd, Trailer, TrailerLf,
            TrailerLine,
        };
        let digit = crate::text::hex_value(byte).map(u64::from);
        match (self, byte) {
            (Size, _) => digit.map(MoreSize).ok_or(BadChunk),
            (MoreSize(size), b'\r') => Ok(SizeEnd(size)),
            (MoreSize(size), b';' | b' ' | b'\t') => Ok(Extension(size)),
            (MoreSize(size), _) => {
                let next = digit.and_then(|digit| size.checked_mul(16)?.checked_add(digit));
                next.map(MoreSize).ok_or(BadChunk)
            }
            (Extension(size), b'\r') => Ok(SizeEnd(size)),
            (Extension(size), b'\t' | 0x20..=0x7e | 0x80..=0xff) => Ok(Extension(size)),
            (SizeEnd(0), b'\n') | (TrailerLf, b'\n') => Ok(Trailer),
            (SizeEnd(size), b'\n') => Ok(Data(size)),
            (DataCr, b'\r') => Ok(DataLf),
            (DataLf, b'\n') => Ok(Size),
            (Trailer, b'\r') => Ok(LastLf),
            (Trailer, _) if is_token(byte) => Ok(TrailerLine),
            (TrailerLine, b'\r') => Ok(TrailerLf),
            (TrailerLine, b'\t' | 0x20..=0x7e | 0x80..=0xff) => Ok(TrailerLine),
            (LastLf, b'\n') => Ok(Done),
            _ => Err(BadChunk),
        }
    }
}
