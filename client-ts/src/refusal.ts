/** Describes a server's refusal: whether the same request may succeed later, when, and which limit applies. */
import type { ResponseLike } from './fetch.ts';

/** The server refused the request. */
export class RefusedError extends Error {
  readonly status: number;
  /** A code of `vocabulary.json`; `null` when the answer has none. */
  readonly code: string | null;
  /** The exceeded limit; `Infinity` when the answer has none. */
  readonly limit: number;
  /** The server's requested wait in milliseconds; 0 when the answer has none. */
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

/** Reads an answer's status, headers and body; the body counts only if it has the error form of the contract. */
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

/** Returns milliseconds from seconds or a date (RFC 9110, section 10.2.3); 0 when the header is absent. */
function retryAfter(headers: ResponseLike['headers']): number {
  const text = headers.get('retry-after') ?? '';
  if (/^\s*\d+\s*$/.test(text)) return Number(text) * 1000;
  // `NaN` if the text is not a date.
  return Math.max(0, Date.parse(text) - Date.now()) || 0;
}
