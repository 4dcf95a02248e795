//! Checks the raw head of a request before anything else uses it (rules HTT-06 to HTT-08).
//!
//! hyper hides what these rules check: repeated `Content-Length`, `Content-Length` next to `Transfer-Encoding`, line
//! ends, sizes. So this module reads the bytes first, line by line as they arrive. Invariant: hyper and this scanner
//! agree where a request ends. This module does not check what hyper refuses by itself, such as a bad header name.

use crate::contract::LIMITS;
use crate::error::ErrorCode;

/// The target that replaces a refused request: `^` never passes the scan of a head.
pub const REFUSED: &str = "/^";

/// How a request's body is delimited (RFC 9112, section 6).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    /// This many bytes, possibly none.
    Length(u64),
    /// `Transfer-Encoding: chunked`.
    Chunked,
}

/// Progress of scanning a head.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// More bytes are needed.
    Partial,
    /// The head ends before this byte.
    Complete(usize, Framing),
    /// The request breaks a rule; `true` when its method is HEAD.
    Violated(ErrorCode, bool),
    /// The HTTP/2 preface, which clients such as gRPC send (rule OTL-12).
    Http2,
}

/// Scans the head of one request, line by line.
#[derive(Debug, Default)]
pub struct HeadScanner {
    line_start: usize,
    has_request_line: bool,
    is_head: bool,
    is_http_1_1: bool,
    target_bytes: usize,
    /// Size of all lines with their ends, without optional white space (rule HTT-07).
    bytes: usize,
    headers: usize,
    hosts: usize,
    length: Option<u64>,
    has_transfer_encoding: bool,
    chunked: bool,
    /// Positions of `Connection` headers in an HTTP/1.0 request.
    connection_headers: Vec<usize>,
    /// Whether a line breaks a rule. The scanner reports it after the last line, since sizes are checked
    /// first (rule HTT-02).
    is_bad: bool,
}

impl HeadScanner {
    /// Returns the positions of `Connection` headers in an HTTP/1.0 request. The server always closes its
    /// connection.
    pub fn connection_headers(&self) -> &[usize] {
        &self.connection_headers
    }

    /// Returns the request that replaces a request that breaks a rule, so that the router makes its answer.
    pub fn refused(code: ErrorCode, is_head: bool) -> String {
        let (method, code) = (if is_head { "HEAD" } else { "GET" }, code.as_str());
        format!("{method} {REFUSED}{code} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    }

    /// Scans all bytes of the head that have arrived; the first byte is neither CR nor LF.
    pub fn scan(&mut self, bytes: &[u8]) -> Progress {
        // Another protocol, such as TLS, is refused at once, before the client times out.
        if bytes.first().is_some_and(|first| !first.is_ascii_uppercase()) {
            return Progress::Violated(ErrorCode::BadRequest, false);
        }
        if bytes.starts_with(PREFACE) {
            return Progress::Http2;
        }
        if PREFACE.starts_with(bytes) {
            return Progress::Partial;
        }
        while let Some(length) = bytes[self.line_start..].iter().position(|&byte| byte == b'\n') {
            let (start, end) = (self.line_start, self.line_start + length);
            let Some(line) = bytes[start..end].strip_suffix(b"\r") else {
                return Progress::Violated(ErrorCode::BadRequest, self.is_head);
            };
            self.line_start = end + 1;
            if !self.has_request_line {
                self.has_request_line = true;
                self.is_bad = self.request_line(line).is_none();
            } else if line.is_empty() {
                return self.complete(end + 1);
            } else {
                self.is_bad |= self.header(line, start).is_none();
            }
        }
        if bytes.len() > LIMITS.head_hard_bytes {
            return Progress::Violated(ErrorCode::HeadersTooLarge, self.is_head);
        }
        Progress::Partial
    }

    fn complete(&self, end: usize) -> Progress {
        let hosts_ok = self.hosts == 1 || self.hosts == 0 && !self.is_http_1_1;
        let encoding_ok = !self.has_transfer_encoding || self.chunked && self.is_http_1_1;
        let code = if self.target_bytes > LIMITS.target_bytes {
            ErrorCode::UriTooLong
        } else if self.bytes > LIMITS.head_bytes || self.headers > LIMITS.header_count {
            ErrorCode::HeadersTooLarge
        } else if self.is_bad || !hosts_ok || !encoding_ok {
            ErrorCode::BadRequest
        } else if self.chunked {
            return Progress::Complete(end, Framing::Chunked);
        } else {
            return Progress::Complete(end, Framing::Length(self.length.unwrap_or(0)));
        };
        Progress::Violated(code, self.is_head)
    }

    /// Checks a request line: `METHOD SP target SP HTTP/1.0` or `HTTP/1.1`. Returns `None` when it breaks a
    /// rule.
    fn request_line(&mut self, line: &[u8]) -> Option<()> {
        let mut parts = line.splitn(3, |&byte| byte == b' ');
        let (method, target, version) = (parts.next()?, parts.next()?, parts.next()?);
        self.is_head = method == b"HEAD";
        self.is_http_1_1 = version == b"HTTP/1.1";
        self.target_bytes = target.len();
        self.bytes = line.len() + LINE_END;
        let known = LIMITS.http_methods.iter().any(|known| known.as_bytes() == method);
        let plain = |byte: &u8| byte.is_ascii_graphic() && !b"\"#<>\\^`{|}".contains(byte);
        let version_ok = self.is_http_1_1 || version == b"HTTP/1.0";
        (known && version_ok && target.starts_with(b"/") && target.iter().all(plain)).then_some(())
    }

    /// Checks a header line: `name: value`. Returns `None` when it breaks a rule of framing.
    fn header(&mut self, line: &[u8], start: usize) -> Option<()> {
        let colon = line.iter().position(|&byte| byte == b':')?;
        let (name, value) = (&line[..colon], trim_blank(&line[colon + 1..]));
        self.bytes += name.len() + ": ".len() + value.len() + LINE_END;
        self.headers += 1;
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
        } else if name.eq_ignore_ascii_case(b"connection") && !self.is_http_1_1 {
            self.connection_headers.push(start);
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let digits = std::str::from_utf8(value).ok().filter(|_| value.iter().all(u8::is_ascii_digit));
            let length = digits?.parse().ok().filter(|length| *length <= LIMITS.max_integer)?;
            if self.length.replace(length).is_some() || self.has_transfer_encoding {
                return None;
            }
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            // Node's parser refuses a tab after the coding.
            let no_tab = line.iter().rev().take_while(|&&byte| byte != b'd').all(|&byte| byte == b' ');
            self.chunked = value == b"chunked" && no_tab;
            if std::mem::replace(&mut self.has_transfer_encoding, true) || self.length.is_some() {
                return None;
            }
        }
        Some(())
    }
}

/// The first bytes of an HTTP/2 connection (RFC 9113, section 3.4). No HTTP/1 request starts like this.
const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// Number of bytes of CR and LF.
const LINE_END: usize = 2;

/// Removes the optional white space around a value (RFC 9110, section 5.6.3).
pub(super) fn trim_blank(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// Returns whether a byte may be part of a name (RFC 9110, section 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}
