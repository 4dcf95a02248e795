/**
 * Defines placeholders for values that a case cannot know: `<case>`, `<port>`, `<folder>/…`, `<saved:NAME>`,
 * `<cookie:SECONDS:TOKEN>` and `<event-id:JSON>`.
 *
 * `<case>` is a word of twelve letters and digits that no other case of any run has. So cases on one server stay
 * independent, even on a server that has been running for long. `<cookie:SECONDS:TOKEN>` is a session cookie (rule
 * SEC-07) of this port that expires after this many seconds; `<cookie:SECONDS@PORT:TOKEN>` belongs to another port.
 * It is computed from the rule, not by a server. `<event-id:JSON>` is the `event_id` by rule OTL-09 for this JSON
 * text, which may contain `<case>`. `<hook-id:JSON>` is that of a hook after its telemetry (rule HOK-04).
 */
import { createHmac, randomBytes } from 'node:crypto';
import { eventIdOf, hookIdOf } from './event-id.ts';

export type Placeholders = Map<string, unknown>;

export function newPlaceholders(port: number): Placeholders {
  return new Map<string, unknown>([
    ['<case>', `c${randomBytes(6).toString('hex').slice(1)}`],
    ['<port>', port],
  ]);
}

/** Fills in the placeholders of a JSON value, including its keys. */
export function fill<T>(value: T, known: Placeholders): T {
  return fillValue(value, known) as T;
}

/** Returns the value at a JSON pointer (RFC 6901). */
export function atPointer(value: unknown, pointer: string): unknown {
  let current = value;
  for (const token of pointer.split('/').slice(1)) {
    const key = token.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof current !== 'object' || current === null) return undefined;
    current = (current as Record<string, unknown>)[key];
  }
  return current;
}

function fillValue(value: unknown, known: Placeholders): unknown {
  if (typeof value === 'string') return fillText(value, known);
  if (Array.isArray(value)) return value.map((item) => fillValue(item, known));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [String(fillText(key, known)), fillValue(item, known)]),
  );
}

function fillText(text: string, known: Placeholders): unknown {
  if (!text.includes('<')) return text;
  const whole = known.get(text);
  if (whole !== undefined && text.startsWith('<saved:')) return whole;
  const named = text.replaceAll('<case>', String(known.get('<case>') ?? '<case>'));
  return named.replace(
    /<case>|<port>|<folder>|<saved:[^<>]+>|<cookie:[^<>]+>|<event-id:[^<>]+>|<hook-id:[^<>]+>/g,
    (name) => {
      if (name.startsWith('<hook-id:')) return hookIdOf(name.slice('<hook-id:'.length, -1));
      if (name.startsWith('<event-id:')) return eventIdOf(name.slice('<event-id:'.length, -1));
      const cookie = /^<cookie:(-?\d+)(?:@(\d+))?:(.+)>$/.exec(name);
      if (cookie)
        return sessionCookie(Number(cookie[1]), cookie[2] ?? String(known.get('<port>')), cookie[3]!);
      if (!known.has(name)) throw new Error(`${name} stands for nothing here`);
      return String(known.get(name));
    },
  );
}

function sessionCookie(seconds: number, port: string, token: string): string {
  const signed = `ingest_session_${port}=${Math.floor(Date.now() / 1000) + seconds}`;
  return `${signed}.${createHmac('sha256', token).update(signed).digest('hex')}`;
}
