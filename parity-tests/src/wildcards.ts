/**
 * Defines the closed list of wildcards: values that a case may leave open, and their required form.
 *
 * Only values that may differ by the contract (rule LAW) belong here. Each wildcard checks the form. A wildcard
 * represents a JSON value as a string of its own, and may occur anywhere inside exact text.
 */

export interface Wildcard {
  /** The JSON type of the represented value. */
  readonly type: 'number' | 'string' | 'array';
  /** The whole text of the value: a number or an array as printed, a string without quotes. */
  readonly form: RegExp;
  readonly means: string;
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const INTEGER = /0|[1-9]\d{0,15}/;

export const WILDCARDS: Readonly<Record<string, Wildcard>> = {
  '<any-id>': { type: 'number', form: /[1-9]\d{0,15}/, means: "an event's id" },
  '<any-integer>': { type: 'number', form: INTEGER, means: 'an integer from 0 on' },
  '<any-pid>': { type: 'number', form: /[1-9]\d{0,9}/, means: 'a process id' },
  '<any-timestamp>': {
    type: 'string',
    form: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/,
    means: 'a time in UTC with milliseconds',
  },
  '<any-milliseconds>': {
    type: 'number',
    form: /[1-9]\d{12}/,
    means: 'a time in Unix milliseconds, after 2001',
  },
  '<any-day>': { type: 'string', form: /\d{4}-\d\d-\d\d/, means: 'a calendar day' },
  '<any-hour>': {
    type: 'string',
    form: /\d{4}-\d\d-\d\dT\d\d:00:00\.000Z/,
    means: 'the beginning of an hour',
  },
  '<any-quarter>': {
    type: 'string',
    form: /\d{4}-\d\d-\d\dT\d\d:(00|15|30|45):00\.000Z/,
    means: 'the beginning of a quarter of an hour',
  },
  '<any-place>': {
    type: 'string',
    form: /\d{13}\.[1-9]\d{0,15}/,
    means: 'a cursor of sessions: a time in Unix milliseconds and a number (SES-01)',
  },
  '<any-uuid>': { type: 'string', form: UUID, means: 'a UUID (RFC 9562) in lower case' },
  '<any-epoch>': { type: 'string', form: UUID, means: 'the epoch of a database' },
  '<any-revision>': {
    type: 'string',
    form: /0|[1-9]\d{0,18}|1[0-8]\d{18}/,
    means: 'a revision: an unsigned 64-bit integer as decimal text (SYN-01)',
  },
  '<any-version>': {
    type: 'string',
    form: /\d+\.\d+\.\d+/,
    means: 'a version of a server, the contract or SQLite',
  },
  '<any-options>': {
    type: 'array',
    form: /\[("[A-Z0-9_]+(=[^"\\]*)?",)*"THREADSAFE=[012]"(,"[A-Z0-9_]+(=[^"\\]*)?")*\]/,
    means: 'the compile options of a SQLite',
  },
  '<any-runtime>': { type: 'string', form: /rust|node/, means: 'the runtime of a server' },
  '<any-date>': {
    type: 'string',
    form: /(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/,
    means: 'the Date header (IMF-fixdate, RFC 9110)',
  },
  '<any-cookie>': {
    type: 'string',
    form: /\d{10}\.[0-9a-f]{64}/,
    means: 'the value of a session cookie: its expiry and its MAC (SEC-07)',
  },
  '<any-duration>': {
    type: 'string',
    form: /\d+\.\d{3}/,
    means: 'a time in milliseconds with three digits after the point',
  },
  '<any-length>': {
    type: 'string',
    form: INTEGER,
    means: 'the length of the body that came (0 or more on HEAD)',
  },
};

const NAMED = /<any-[a-z]+>/g;

/** Returns the wildcard that makes up a string, if any. An unknown `<any-…>` is an error of the case. */
export function wildcardOf(expected: unknown): Wildcard | undefined {
  if (typeof expected !== 'string' || !/^<any-[a-z]+>$/.test(expected)) return undefined;
  return known(expected);
}

export function fitsWildcard(wildcard: Wildcard, actual: unknown): boolean {
  if ((Array.isArray(actual) ? 'array' : typeof actual) !== wildcard.type) return false;
  const text = wildcard.type === 'array' ? JSON.stringify(actual) : String(actual);
  return new RegExp(`^(?:${wildcard.form.source})$`).test(text);
}

/** Returns a pattern for exact text that may contain wildcards. */
export function textPattern(expected: string): RegExp {
  const literals = expected.split(NAMED).map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  const forms = [...expected.matchAll(NAMED)].map(([name]) => `(?:${known(name).form.source})`);
  return new RegExp(`^${literals.map((text, index) => text + (forms[index] ?? '')).join('')}$`);
}

function known(name: string): Wildcard {
  const wildcard = WILDCARDS[name];
  if (!wildcard) throw new Error(`${name} is no wildcard; known are ${Object.keys(WILDCARDS).join(' ')}`);
  return wildcard;
}
