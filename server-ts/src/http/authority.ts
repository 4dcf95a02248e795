/** Splits an authority into host and port (RFC 3986, section 3.2). Pure. */

/**
 * Returns the host of `host[:port]`; `undefined` when it is malformed. A colon in brackets belongs to an IPv6
 * address.
 */
export function hostName(authority: string): string | undefined {
  return /^([^:]+|.*\])(?::[0-9]*)?$/.exec(authority)?.[1];
}

/** Returns the text after the colon of a port, if there is one; a colon inside brackets is part of an IPv6 address. */
export function portOf(authority: string): string | undefined {
  return /:([^\]:]*)$/.exec(authority)?.[1];
}
