/**
 * Parses and answers a typed call with JSON alone, without types. `pnpm bench:rpc` compares a server's library with it.
 *
 * The twin of `server-rs/examples/codecs/calls.rs`. Step `bytes` begins and ends with UTF-8, as in a server; step
 * `text` leaves both conversions out.
 */
import { deepStrictEqual } from 'node:assert/strict';
import type { Report } from './alone-timing.ts';

interface Call {
  readonly params: readonly [readonly unknown[]];
  readonly id: number;
}

export function measureCall(report: Report, text: string, count: number): void {
  const bytes = Buffer.from(text);
  const [values] = (JSON.parse(text) as Call).params;
  deepStrictEqual(values.length, count, 'the call has another number of values');
  deepStrictEqual((JSON.parse(answer(text)) as { readonly result: unknown }).result, values);
  const print = (step: string, work: () => unknown) =>
    report.print(step, bytes.length, values.length, report.time(work));
  print('bytes', () => Buffer.from(answer(bytes.toString())));
  print('text', () => answer(text));
}

function answer(text: string): string {
  const { params, id } = JSON.parse(text) as Call;
  return JSON.stringify({ jsonrpc: '2.0', result: params[0], id });
}
