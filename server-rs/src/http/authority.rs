//! Splits an authority into host and port (RFC 3986, section 3.2). Pure.

/// Returns the host of `host[:port]`; `None` when it is malformed.
pub fn host_name(authority: &str) -> Option<&str> {
    let name = match port_of(authority) {
        Some(port) if port.bytes().all(|byte| byte.is_ascii_digit()) => {
            &authority[..authority.len() - port.len() - 1]
        }
        Some(_) => return None,
        None => authority,
    };
    (!name.is_empty()).then_some(name)
}

/// Returns the text after the colon of a port; a colon inside brackets is part of an IPv6 address.
pub fn port_of(authority: &str) -> Option<&str> {
    let after_address = authority.rfind(']').map_or(0, |end| end + 1);
    authority[after_address..].split_once(':').map(|(_, port)| port)
}
