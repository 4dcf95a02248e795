/** Formats a difference between the two servers, for a user and as a case. */
import type { Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import { sideBySide } from '../side-by-side.ts';

export interface Difference {
  /** The request's position in the run, from 1. */
  readonly number: number;
  readonly sent: Outgoing;
  readonly rs: string;
  readonly ts: string;
  /** Number of further differences of its kind. */
  repeats: number;
}

const SHOWN = 2_000;

/** Returns the PRNG seed, the request with its unprintable bytes escaped, and both answers side by side. */
export function describeDifference(one: Difference, seed: number): string {
  const request = visible(Buffer.concat([one.sent.head, one.sent.body]));
  const columns = sideBySide(['rs', ...shown(one.rs)], ['ts', ...shown(one.ts)], 110);
  const at = firstDifference(one.rs, one.ts);
  const around = [one.rs, one.ts].map((text) =>
    visible(Buffer.from(text.slice(Math.max(0, at - 40), at + 80), 'latin1')),
  );
  const more = one.repeats > 0 ? ` (and ${one.repeats} more of this kind)` : '';
  return `\nseed ${seed}, request ${one.number}${more}:\n${request}\n${columns.join('\n')}\nfirst difference at ${at}:\n${around.join('\n')}`;
}

/** Returns the start of an answer in lines, without unprintable bytes. */
function shown(answer: string): string[] {
  return answer
    .slice(0, SHOWN)
    .split('\n')
    .map((line) => visible(Buffer.from(line, 'latin1')));
}

function firstDifference(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return at;
}

/** Returns a case file with the request as bytes; a maintainer adds the expected answer. */
export function differenceAsCase(one: Difference, seed: number): string {
  const [status = '', ...rest] = one.rs.split('\n');
  const content = {
    $schema: '../case.schema.json',
    about: `Found by the differential scenario with seed ${seed}. The expected answer is that of server-rs: check it against the contract, and add what was stored before.`,
    cases: [
      {
        name: `seed ${seed}, request ${one.number}`,
        rule: 'LAW',
        when: { raw_base64: Buffer.concat([one.sent.head, one.sent.body]).toString('base64') },
        // biome-ignore lint/suspicious/noThenProperty: this is what a case file calls the answer
        then: {
          status: Number.parseInt(status, 10) || 400,
          body: rest.slice(rest.indexOf('') + 1).join('\n'),
        },
      },
    ],
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Returns Latin-1 text with unprintable characters escaped; line ends also break the line. */
export function visible(bytes: Buffer): string {
  const text = bytes.subarray(0, SHOWN).toString('latin1');
  const hex = (char: string): string => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  return text
    .replace(/[^\x20-\x7e]/g, (char) => ({ '\r': '\\r', '\n': '\\n\n', '\t': '\\t' })[char] ?? hex(char))
    .trimEnd();
}
