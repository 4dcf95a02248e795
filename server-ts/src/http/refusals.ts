/**
 * Says which Host or Origin was refused and which flag would allow it, to the client and in the log (rules SEC-10 and
 * SEC-11).
 *
 * Invariant: the log and the memory are bounded, whatever clients send.
 */
import { isHostName } from '../config/index.ts';
import { fill, LIMITS, TUNING, VOCABULARY } from '../contract.ts';
import type { Failure } from '../error.ts';
import type { Log } from '../log.ts';
import { hostName } from './authority.ts';

/** Returns what a refusal says about a Host. */
export function hostRefusal(host: string): string {
  const name = hostName(host);
  // A value that begins with a hyphen would be read as a flag.
  const isAllowable = name !== undefined && isHostName(name) && !name.startsWith('-');
  return refusal(host, '--allow-host', isAllowable ? name : undefined);
}

/** Returns what a refusal says about an Origin. */
export function originRefusal(origin: string): string {
  const [scheme, authority] = /^([A-Za-z0-9+.-]+):\/\/(.*)$/s.exec(origin)?.slice(1) ?? ['', ''];
  const name = hostName(authority!);
  const isAllowable = /^[A-Za-z]/.test(scheme!) && !/^file$/i.test(scheme!);
  return refusal(
    origin,
    '--allow-origin',
    isAllowable && name !== undefined && isHostName(name) ? origin : undefined,
  );
}

/** Returns what a refusal says about a request that no flag allows. */
export function lastingRefusal(text: string): string {
  return refusal(text, '', undefined);
}

/** Returns the text of a refusal. `allowed` is the value for the flag; it is safe to paste into a shell. */
function refusal(value: string, flag: string, allowed: string | undefined): string {
  const { refused, refused_always: always } = VOCABULARY.security;
  const isShort = value.length <= LIMITS.shown_bytes;
  if (allowed === undefined || !isShort) return fill(always, { value: shown(value) });
  return fill(refused, { value: shown(value), flag, allowed });
}

/** Returns the start of a header's value. White space, quotes, `<>&`, backslashes and bytes outside ASCII are escapes. */
function shown(value: string): string {
  const start = value.slice(0, LIMITS.shown_bytes);
  const text = start.replace(
    /[^!#-%(-;=?-[\]-_a-~]/g,
    (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `${text}${value.length > start.length ? '...' : ''}`;
}

/** Logs refused requests: each at debug, and one line for each different reason in a time window at warn. */
export class Refusals {
  private readonly log: Log;
  private reasons = new Set<string>();
  private suppressed = 0;
  private endsMs = 0;

  constructor(log: Log) {
    this.log = log;
  }

  /** Logs a request that the guard refused; `nowMs` is monotonic. */
  note({ code, members }: Failure, nowMs: number): void {
    const { message } = members;
    const reason = typeof message === 'string' ? message : undefined;
    this.log.debug({ code, reason }, 'request refused');
    if (reason === undefined) return;
    if (nowMs >= this.endsMs) this.startWindow(nowMs);
    if (this.reasons.has(reason) || this.reasons.size >= TUNING.refusals_logged) {
      this.suppressed++;
      return;
    }
    this.reasons.add(reason);
    this.log.warn({ code, reason }, 'request refused');
  }

  private startWindow(nowMs: number): void {
    if (this.suppressed > 0) this.log.warn({ count: this.suppressed }, 'more requests were refused');
    this.reasons = new Set();
    this.suppressed = 0;
    this.endsMs = nowMs + TUNING.refusals_window_ms;
  }
}
