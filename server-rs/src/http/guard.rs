//! Checks whether a request is allowed: Host, Origin, Fetch metadata, preflights, the token (rules SEC-01 to SEC-07).
//!
//! A web page can make a browser send requests to a local server. These checks keep such a request from having an
//! effect and from reading an answer.

use http::header::{AUTHORIZATION, COOKIE, HOST, HeaderMap, HeaderValue, ORIGIN};
use http::{Method, Uri};
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::config::Config;
use crate::error::{ErrorCode, Failure};
use crate::http::authority::{host_name, port_of};
use crate::http::cookie::CookieKey;
use crate::http::login::LoginCode;
use crate::http::refusals::{host_refusal, lasting_refusal, origin_refusal};
use crate::text::percent_decode;

/// The token as a digest (rule SEC-06), and as the key of cookies. Its text is not kept, so it cannot be logged.
#[derive(Clone)]
struct Token {
    digest: [u8; 32],
    /// The key of cookies; with `None` the guard accepts no cookie.
    cookies: Option<CookieKey>,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    fn new(text: &str) -> Self {
        Self { digest: Sha256::digest(text.as_bytes()).into(), cookies: CookieKey::new(text) }
    }

    fn is(&self, text: &str) -> bool {
        let digest: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        self.digest.ct_eq(&digest).into()
    }
}

/// The access rules of the configuration.
#[derive(Debug)]
pub struct Guard {
    allow_hosts: Vec<String>,
    allow_origins: Vec<String>,
    token: Option<Token>,
    login: LoginCode,
}

/// The guard's decision about a request.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Continue; the origin may read the answer.
    Pass(Option<String>),
    /// Answer the preflight of this origin.
    Preflight(String),
}

impl Guard {
    /// Creates the guard from a configuration.
    pub fn new(config: &Config) -> Self {
        Self {
            allow_hosts: config.allow_hosts.clone(),
            allow_origins: config.allow_origins.clone(),
            token: config.token.as_deref().map(Token::new),
            login: LoginCode::default(),
        }
    }

    /// Checks Host, Origin and Fetch metadata. `port` is the local port of the request. A refusal carries the origin
    /// that may read it.
    pub fn admit(
        &self,
        method: &Method,
        headers: &HeaderMap,
        port: u16,
    ) -> Result<Verdict, (Failure, Option<String>)> {
        let given = headers.get(HOST).map(HeaderValue::as_bytes).unwrap_or_default();
        let host = headers.get(HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
        if !self.is_allowed_host(host) {
            return Err((refused(ErrorCode::ForbiddenHost, host_refusal(given)), None));
        }
        let mut sites = headers.get_all("sec-fetch-site").iter();
        let site = match (sites.next(), sites.next()) {
            (None, _) => None,
            (Some(value), None) => Some(value.to_str().unwrap_or_default()),
            // Refused as an empty one is.
            (Some(_), Some(_)) => Some(""),
        };
        let refused = |message: String| refused(ErrorCode::ForbiddenOrigin, message);
        let origins: Vec<&[u8]> = headers.get_all(ORIGIN).iter().map(HeaderValue::as_bytes).collect();
        let origin = match origins.as_slice() {
            [] => None,
            [given] => {
                let is_allowed = |origin: &&str| {
                    self.is_allowed_origin(origin, port) || is_same_origin(origin, host, site)
                };
                let origin = std::str::from_utf8(given).ok().filter(is_allowed);
                Some(origin.ok_or_else(|| (refused(origin_refusal(given)), None))?.to_owned())
            }
            several => return Err((refused(lasting_refusal(&several.join(b", ".as_slice()))), None)),
        };
        let site_ok = match site {
            None | Some("same-origin" | "none") => true,
            Some("same-site" | "cross-site") => origin.is_some(),
            Some(_) => false,
        };
        if !site_ok {
            let sites: Vec<&[u8]> =
                headers.get_all("sec-fetch-site").iter().map(HeaderValue::as_bytes).collect();
            let text = [b"Sec-Fetch-Site: ".as_slice(), &sites.join(b", ".as_slice())].concat();
            return Err((refused(lasting_refusal(&text)), origin));
        }
        match origin {
            Some(origin)
                if method == Method::OPTIONS && headers.contains_key("access-control-request-method") =>
            {
                Ok(Verdict::Preflight(origin))
            }
            origin => Ok(Verdict::Pass(origin)),
        }
    }

    fn is_allowed_host(&self, host: &str) -> bool {
        let Some(name) = host_name(host) else { return false };
        let name = name.to_ascii_lowercase();
        is_loopback_name(&name) || self.allow_hosts.contains(&name)
    }

    fn is_allowed_origin(&self, origin: &str, port: u16) -> bool {
        if self.allow_origins.contains(&origin.to_ascii_lowercase()) {
            return true;
        }
        let Some(authority) = origin.strip_prefix("http://") else {
            return false;
        };
        let own_port = match port_of(authority) {
            Some(text) => text.parse() == Ok(port),
            None => port == 80,
        };
        own_port && host_name(authority).is_some_and(|name| is_loopback_name(&name.to_ascii_lowercase()))
    }

    /// Checks the token or its cookie, where the route needs one. `port` is the local port of the request, which a
    /// cookie names when Host has no port.
    pub fn authorize(&self, headers: &HeaderMap, port: u16, now_s: u64) -> Result<(), ErrorCode> {
        let Some(token) = &self.token else { return Ok(()) };
        let mut given = headers.get_all(AUTHORIZATION).iter();
        let only = given.next().filter(|_| given.next().is_none());
        let bearer = only.and_then(|value| value.to_str().ok()).and_then(|value| {
            let (scheme, given) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| given.trim_matches(' '))
        });
        let key = token.cookies.as_ref();
        let port = public_port(headers, port);
        let admits =
            |cookies: &HeaderValue| key.is_some_and(|key| key.admits(cookies.as_bytes(), port, now_s));
        if bearer.is_some_and(|given| token.is(given)) || headers.get_all(COOKIE).iter().any(admits) {
            Ok(())
        } else {
            Err(ErrorCode::Unauthorized)
        }
    }

    /// Returns a code that opens one window; `None` without a token, or without random numbers (rule SEC-09).
    pub fn login_code(&self, now_s: u64) -> Option<String> {
        self.token.as_ref()?;
        self.login.issue(now_s).ok()
    }

    /// Handles `GET /?token=…` and `GET /?code=…` (rules SEC-07 and SEC-09): returns the cookie to set, `None` for any
    /// other request.
    pub fn sign_in(
        &self,
        method: &Method,
        uri: &Uri,
        headers: &HeaderMap,
        port: u16,
        now_s: u64,
    ) -> Option<Result<String, ErrorCode>> {
        let token = self.token.as_ref()?;
        if uri.path() != "/" || !matches!(*method, Method::GET | Method::HEAD) {
            return None;
        }
        let query = uri.query()?;
        let is_valid = match (parameter(query, "token"), parameter(query, "code")) {
            (Some(given), _) => token.is(&given),
            (None, Some(code)) => self.login.take(&code, now_s),
            (None, None) => return None,
        };
        let key = token.cookies.as_ref().filter(|_| is_valid);
        let port = public_port(headers, port);
        Some(key.map(|key| key.issue(port, now_s)).ok_or(ErrorCode::Unauthorized))
    }
}

/// Returns whether the page that sent the request comes from this allowed Host itself. A tunnel or a proxy has a port
/// of its own. No page chooses these three headers, and none of another server has this Origin.
///
/// Browsers send `Sec-Fetch-Site` to https and to loopback names, so without it only a name of `--allow-host` counts.
fn is_same_origin(origin: &str, host: &str, site: Option<&str>) -> bool {
    let is_vouched = match site {
        Some(site) => site == "same-origin",
        None => host_name(host).is_some_and(|name| !is_loopback_name(&name.to_ascii_lowercase())),
    };
    // A browser omits the default port of a scheme, and a proxy may add it.
    let same = |scheme: &str, default_port: &str| {
        let given =
            origin.strip_prefix(scheme).map(|given| given.strip_suffix(default_port).unwrap_or(given));
        let host = host.strip_suffix(default_port).unwrap_or(host);
        given.is_some_and(|given| given.eq_ignore_ascii_case(host))
    };
    is_vouched && (same("http://", ":80") || same("https://", ":443"))
}

/// Returns the port that the client used: that of Host, which is another one behind a tunnel, or else the local one.
fn public_port(headers: &HeaderMap, port: u16) -> u16 {
    let host = headers.get(HOST).and_then(|value| value.to_str().ok());
    host.and_then(port_of).and_then(|text| text.parse().ok()).unwrap_or(port)
}

fn refused(code: ErrorCode, message: String) -> Failure {
    Failure::new(code).with("message", message)
}

/// Returns the first value of a parameter, decoded; a malformed one is empty.
fn parameter(query: &str, name: &str) -> Option<String> {
    let pairs = query.split('&').map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    let mut values = pairs.filter(|(given, _)| *given == name).map(|(_, value)| value);
    values.next().map(|value| percent_decode(value, true).unwrap_or_default())
}

fn is_loopback_name(name: &str) -> bool {
    let is_label = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.');
    matches!(name, "127.0.0.1" | "localhost" | "[::1]")
        || name
            .strip_suffix(".localhost")
            .is_some_and(|labels| !labels.is_empty() && labels.bytes().all(is_label))
}
