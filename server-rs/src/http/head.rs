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

/// The target that stands for a refused request: `^` never passes the scan of a head.
pub const REFUSED: &str = "/^";

impl Violation {
    /// A request in place of the one that breaks a rule, so that its answer is made where all answers are.
    pub fn as_request(self, is_head: bool) -> String {
        let method = if is_head { "HEAD" } else { "GET" };
        let code = match self {
            Violation::Bare => "",
            Violation::Code(code) => code.as_str(),
        };
        format!("{method} {REFUSED}{code} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
    }
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
    method: Option<Vec<u8>>,
    target_bytes: usize,
    headers: usize,
    hosts: usize,
    is_http_1_1: bool,
    length: Option<u64>,
    chunked: bool,
    has_transfer_encoding: bool,
    /// Where `Connection` headers of an HTTP/1.0 request begin.
    connection_headers: Vec<usize>,
    /// Broken rules that come after the sizes in the order of checks (rule HTT-02).
    later: Option<Violation>,
}

impl HeadScanner {
    /// Where `Connection` headers of an HTTP/1.0 request begin: such a request never keeps its connection.
    pub fn connection_headers(&self) -> &[usize] {
        &self.connection_headers
    }

    /// Looks at all bytes of the head that have arrived, the first of which is neither CR nor LF.
    pub fn scan(&mut self, bytes: &[u8]) -> Progress {
        while let Some(length) = bytes[self.line_start..].iter().position(|&byte| byte == b'\n') {
            let end = self.line_start + length;
            let Some(line) = bytes[self.line_start..end].strip_suffix(b"\r") else {
                return self.violated(Violation::Bare);
            };
            let line_ok = match (&self.method, line.is_empty()) {
                (None, _) => self.request_line(line),
                (Some(_), false) => self.header(line, self.line_start),
                (Some(_), true) => return self.complete(end + 1),
            };
            self.line_start = end + 1;
            if let Err(violation) = line_ok {
                return self.violated(violation);
            }
        }
        // What can no longer become a line is refused at once, rather than when the client gives up.
        let rest = &bytes[self.line_start..];
        let begun = rest.strip_suffix(b"\r").unwrap_or(rest);
        if begun.iter().any(|&byte| byte < 0x20 && byte != b'\t')
            || self.method.is_none() && !may_be_method(rest)
        {
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
        let size = end - 2;
        let later = if self.target_bytes > LIMITS.target_bytes {
            Some(Violation::Code(ErrorCode::UriTooLong))
        } else if size > LIMITS.head_bytes || self.headers > LIMITS.header_count {
            Some(Violation::Code(ErrorCode::HeadersTooLarge))
        } else if self.has_transfer_encoding && !(self.chunked && self.is_http_1_1) {
            Some(Violation::Bare)
        } else {
            self.later.or_else(|| {
                let host_ok = if self.is_http_1_1 { self.hosts == 1 } else { self.hosts <= 1 };
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
        if method == b"CONNECT" || target.iter().any(|byte| b"\"#<>\\^`{|}".contains(byte)) {
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
    fn header(&mut self, line: &[u8], start: usize) -> Result<(), Violation> {
        let colon = line.iter().position(|&byte| byte == b':').ok_or(Violation::Bare)?;
        let (name, value) = (&line[..colon], trim_blank(&line[colon + 1..]));
        let value_ok = |byte: &u8| matches!(byte, b'\t' | 0x20..=0x7e | 0x80..=0xff);
        if name.is_empty() || !name.iter().all(|&byte| is_token(byte)) || !value.iter().all(value_ok) {
            return Err(Violation::Bare);
        }
        self.headers += 1;
        if name.eq_ignore_ascii_case(b"host") {
            self.hosts += 1;
        } else if name.eq_ignore_ascii_case(b"connection") && !self.is_http_1_1 {
            self.connection_headers.push(start);
        } else if name.eq_ignore_ascii_case(b"content-length") {
            let digits = !value.is_empty() && value.iter().all(u8::is_ascii_digit);
            let length =
                std::str::from_utf8(value).ok().filter(|_| digits).and_then(|text| text.parse().ok());
            let length = length.filter(|length| *length <= LIMITS.max_integer);
            if self.length.is_some() || self.has_transfer_encoding || length.is_none() {
                return Err(Violation::Bare);
            }
            self.length = length;
        } else if name.eq_ignore_ascii_case(b"transfer-encoding") {
            if self.length.is_some() || self.has_transfer_encoding {
                return Err(Violation::Bare);
            }
            self.has_transfer_encoding = true;
            self.chunked = value == b"chunked";
        }
        Ok(())
    }
}

/// Without the optional white space around a value (RFC 9110, section 5.6.3).
pub(super) fn trim_blank(mut value: &[u8]) -> &[u8] {
    while let [b' ' | b'\t', rest @ ..] | [rest @ .., b' ' | b'\t'] = value {
        value = rest;
    }
    value
}

/// A byte of a name (RFC 9110, section 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Whether a request line may still come of these first bytes.
fn may_be_method(bytes: &[u8]) -> bool {
    let word = bytes.split(|&byte| byte == b' ').next().unwrap_or_default();
    let complete = word.len() < bytes.len();
    LIMITS.http_methods.iter().any(|known| {
        let known = known.as_bytes();
        if complete { known == word } else { known.starts_with(word) }
    })
}
