/**
 * Checks whether a request is allowed: Host, Origin, Fetch metadata, preflights, the token (rules SEC-01 to SEC-07).
 *
 * The Host check stops DNS rebinding: a page that reaches this server under its own name sends that name. Tokens are
 * compared by digest, in constant time, and never logged.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { ROUTES } from '../contract.ts';
import { Failure } from '../error.ts';
import { percentDecode } from '../text.ts';
import { hostName, portOf } from './authority.ts';
import { CookieKey } from './cookie.ts';
import { type Head, headerOf } from './head.ts';
import { LoginCode } from './login.ts';
import { hostRefusal, lastingRefusal, originRefusal } from './refusals.ts';

interface GuardConfig {
  readonly allowHosts: readonly string[];
  readonly allowOrigins: readonly string[];
  readonly token: string | undefined;
}

/** The guard's decision about a request that it passes or answers itself. */
export type Verdict =
  | { readonly kind: 'pass'; readonly origin: string | undefined; readonly isFree: boolean }
  | { readonly kind: 'preflight'; readonly origin: string }
  /** `/?token=` or `/?code=`: the cookie to set (rules SEC-07 and SEC-09). */
  | { readonly kind: 'cookie'; readonly cookie: string; readonly origin: string | undefined }
  | { readonly kind: 'refuse'; readonly failure: Failure; readonly origin: string | undefined };

const FREE_PATHS: ReadonlySet<string> = new Set(ROUTES.filter(({ free }) => free).map(({ path }) => path));

export class Guard {
  private readonly hosts: ReadonlySet<string>;
  private readonly origins: ReadonlySet<string>;
  private readonly tokenDigest: Buffer | undefined;
  private readonly cookies: CookieKey | undefined;
  private readonly login = new LoginCode();
  private readonly port: number;

  /** `port` is the local port: that of an Origin, and that of a cookie when Host has none. */
  constructor(config: GuardConfig, port: number) {
    this.hosts = new Set(config.allowHosts);
    this.origins = new Set(config.allowOrigins);
    this.port = port;
    this.tokenDigest = config.token === undefined ? undefined : digest(config.token);
    this.cookies = config.token === undefined ? undefined : new CookieKey(config.token);
  }

  /** Checks a request; `nowS` is the time in Unix seconds. */
  check(head: Head, nowS: number): Verdict {
    const host = head.headers.get('host')?.[0] ?? '';
    const name = hostName(host.toLowerCase());
    if (name === undefined || !this.isHost(name))
      return refuse('forbidden_host', undefined, hostRefusal(host));
    const site = headerOf(head, 'sec-fetch-site');
    const origins = head.headers.get('origin') ?? [];
    const origin = origins[0];
    if (
      origins.length > 1 ||
      (origin !== undefined && !this.isOrigin(origin) && !isSameOrigin(origin, host, site))
    ) {
      const message = origins.length > 1 ? lastingRefusal(origins.join(', ')) : originRefusal(origin ?? '');
      return refuse('forbidden_origin', undefined, message);
    }
    const crossing = site === 'same-site' || site === 'cross-site';
    if (
      site !== undefined &&
      site !== 'same-origin' &&
      site !== 'none' &&
      !(crossing && origin !== undefined)
    ) {
      return refuse('forbidden_origin', origin, lastingRefusal(`Sec-Fetch-Site: ${site}`));
    }
    const asksAhead = head.method === 'OPTIONS' && head.headers.has('access-control-request-method');
    if (asksAhead && origin !== undefined) return { kind: 'preflight', origin };
    return this.checkToken(head, origin, nowS);
  }

  private checkToken(head: Head, origin: string | undefined, nowS: number): Verdict {
    const isFree = FREE_PATHS.has(head.path);
    const { cookies } = this;
    const port = publicPort(head, this.port);
    if (cookies === undefined || isFree) return { kind: 'pass', origin, isFree };
    if (head.path === '/' && (head.method === 'GET' || head.method === 'HEAD')) {
      const token = parameter(head.query, 'token');
      const code = parameter(head.query, 'code');
      if (token !== undefined || code !== undefined) {
        const isValid = token === undefined ? this.login.take(code!, nowS) : this.isToken(token);
        if (!isValid) return refuse('unauthorized', origin);
        return { kind: 'cookie', cookie: cookies.issue(port, nowS), origin };
      }
    }
    const authorizations = head.headers.get('authorization') ?? [];
    if (authorizations.length > 1) return refuse('unauthorized', origin);
    const bearer = /^bearer +(.*)$/i.exec(authorizations[0] ?? '')?.[1];
    if (bearer !== undefined && this.isToken(bearer)) return { kind: 'pass', origin, isFree };
    const isKnown = head.headers.get('cookie')?.some((value) => cookies.admits(value, port, nowS));
    return isKnown ? { kind: 'pass', origin, isFree } : refuse('unauthorized', origin);
  }

  /** Returns a code that opens one window; `undefined` without a token (rule SEC-09). */
  loginCode(nowS: number): string | undefined {
    return this.cookies === undefined ? undefined : this.login.issue(nowS);
  }

  private isToken(text: string): boolean {
    return this.tokenDigest !== undefined && timingSafeEqual(digest(text), this.tokenDigest);
  }

  private isHost(name: string): boolean {
    return this.hosts.has(name) || isLocalName(name);
  }

  /**
   * Returns whether it is an http origin of a loopback name and this server's port, or an origin that a flag allows.
   */
  private isOrigin(origin: string): boolean {
    if (this.origins.has(origin.toLowerCase())) return true;
    if (!origin.startsWith('http://')) return false;
    const authority = origin.slice('http://'.length).toLowerCase();
    const name = hostName(authority);
    if (name === undefined || !isLocalName(name)) return false;
    const port = authority.slice(name.length + 1);
    return authority === name ? this.port === 80 : port !== '' && Number(port) === this.port;
  }
}

/**
 * Returns whether the page that sent the request comes from this allowed Host itself. A tunnel or a proxy has a port
 * of its own. No page chooses these three headers, and none of another server has this Origin.
 *
 * Browsers send `Sec-Fetch-Site` to https and to loopback names, so without it only a name of `--allow-host` counts.
 */
function isSameOrigin(origin: string, host: string, site: string | undefined): boolean {
  const name = hostName(host.toLowerCase());
  const isVouched = site === undefined ? name !== undefined && !isLocalName(name) : site === 'same-origin';
  const same = (scheme: string, defaultPort: string): boolean => {
    // A browser omits the default port of a scheme, and a proxy may add it.
    const without = (authority: string): string =>
      authority.endsWith(defaultPort) ? authority.slice(0, -defaultPort.length) : authority;
    if (!origin.startsWith(scheme)) return false;
    return without(origin.slice(scheme.length)).toLowerCase() === without(host).toLowerCase();
  };
  return isVouched && (same('http://', ':80') || same('https://', ':443'));
}

/** Returns the port that the client used: that of Host, which is another one behind a tunnel, or else the local one. */
function publicPort(head: Head, port: number): number {
  const text = portOf(head.headers.get('host')?.[0] ?? '');
  const given = Number(text);
  return text !== undefined && /^[0-9]+$/.test(text) && given <= 65535 ? given : port;
}

function isLocalName(name: string): boolean {
  if (name === '127.0.0.1' || name === 'localhost' || name === '[::1]') return true;
  return /^[a-z0-9.-]+\.localhost$/.test(name);
}

/** Returns the first value of a parameter, decoded; a malformed one is empty. */
function parameter(query: string, name: string): string | undefined {
  for (const pair of query.split('&')) {
    const [given, value] = splitOnce(pair, '=');
    if (given === name) return percentDecode(value, true) ?? '';
  }
  return undefined;
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

function refuse(
  code: 'forbidden_host' | 'forbidden_origin' | 'unauthorized',
  origin: string | undefined,
  message?: string,
): Verdict {
  return { kind: 'refuse', failure: new Failure(code, message === undefined ? {} : { message }), origin };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
