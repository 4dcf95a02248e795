/** What a server answers instead of success: whether it may be asked the same again, when, and how much it would take. */
import type { ResponseLike } from './fetch.ts';

/** The server refused. */
export class RefusedError extends Error {
  readonly status: number;
  /** As in `vocabulary.json`; `null` where the answer does not say. */
  readonly code: string | null;
  /** Most of what there was too much of; `Infinity` where the answer does not say. */
  readonly limit: number;
  /** It wants not to be asked again before so many milliseconds; 0 where the answer does not say. */
  readonly after_ms: number;

  constructor(status: number, code: string | null, limit = Infinity, after_ms = 0) {
    super(`refused with ${status}${code === null ? '' : ` ${code}`}`);
    this.name = 'RefusedError';
    this.status = status;
    this.code = code;
    this.limit = limit;
    this.after_ms = after_ms;
  }

  /** Whether the same request may succeed later. */
  get isForNow(): boolean {
    return this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

/** Of an answer's status, headers and body, where that is the one that every error of this contract has. */
export async function refusalOf(response: ResponseLike): Promise<RefusedError> {
  const { status, headers } = response;
  const said = await response.json().catch(() => null);
  const { code, limit } = Object(said) as { readonly code?: unknown; readonly limit?: unknown };
  return new RefusedError(
    status,
    typeof code === 'string' ? code : null,
    Number.isSafeInteger(limit) && (limit as number) > 0 ? (limit as number) : Infinity,
    retryAfter(headers),
  );
}

/** Milliseconds, from seconds or a date (RFC 9110, section 10.2.3); 0 where there is none. */
function retryAfter(headers: ResponseLike['headers']): number {
  const text = headers.get('retry-after') ?? '';
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  // What is no date is `NaN`.
  return Math.max(0, Date.parse(text) - Date.now()) || 0;
}
