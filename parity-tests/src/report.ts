/**
 * Formats results for a user: a table of files and servers. For each failure it shows the request, and the expected
 * and the actual answer side by side.
 *
 * Uses colour only on a terminal and without NO_COLOR. Knows nothing of how results are produced.
 */

import type { Answer } from '@twin-ingest/testkit/http/http-client.ts';
import type { CaseAnswer } from './case.ts';
import { HEADER_SETS } from './match.ts';
import { fullName, type Result } from './result.ts';
import type { Exchange } from './run-case.ts';
import { sideBySide } from './side-by-side.ts';

export interface Terminal {
  readonly width: number;
  readonly colour: boolean;
}

export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** Larger bodies are cut to this size. */
const SHOWN_BYTES = 2_000;

export function terminalOf(
  stream: { isTTY?: boolean; columns?: number },
  env: Readonly<Record<string, string | undefined>>,
): Terminal {
  return { width: Math.max(100, stream.columns ?? 100), colour: stream.isTTY === true && !env.NO_COLOR };
}

export function tally(results: readonly Result[]): Tally {
  const count = (kind: string): number => results.filter((one) => one.outcome.kind === kind).length;
  return { passed: count('passed'), failed: count('failed'), skipped: count('skipped') };
}

/** Returns the table, with a line for each file and a column for each server. */
export function renderTable(results: readonly Result[], terminal: Terminal): string[] {
  const targets = [...new Set(results.map((one) => one.target))];
  const suites = [...new Set(results.map((one) => one.suite))];
  const first = Math.max(...suites.map((name) => name.length), 5);
  const head = `${'suite'.padEnd(first)}${targets.map((name) => name.padStart(24)).join('')}`;
  const lines = suites.map((suite) => {
    const cells = targets.map((target) => {
      const mine = results.filter((one) => one.suite === suite && one.target === target);
      return paint(
        cell(mine).padStart(24),
        mine.some((one) => one.outcome.kind === 'failed') ? 31 : 0,
        terminal,
      );
    });
    return `${suite.padEnd(first)}${cells.join('')}`;
  });
  return [paint(head, 1, terminal), ...lines];
}

/** Returns all failures, then skipped cases, then notes of scenarios. */
export function renderDetails(results: readonly Result[], terminal: Terminal): string[] {
  const failed = results
    .filter((one) => one.outcome.kind === 'failed')
    .flatMap((one) => renderFailure(one, terminal));
  const notes = results.flatMap((one) =>
    one.notes.map((note) => `  ${fullName(one)} [${one.target}]: ${note}`),
  );
  return [
    ...failed,
    ...section('Notes', notes, terminal),
    ...section('Not run', renderSkipped(results), terminal),
  ];
}

export function renderTally({ passed, failed, skipped }: Tally): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`;
}

function cell(results: readonly Result[]): string {
  if (results.length === 0) return '-';
  const { passed, failed, skipped } = tally(results);
  const seconds = results.reduce((sum, one) => sum + one.ms, 0) / 1_000;
  const extra = `${failed > 0 ? ` ${failed} failed` : ''}${skipped > 0 ? ` ${skipped} skipped` : ''}`;
  return `${passed}/${results.length}${extra} ${seconds.toFixed(1)} s`;
}

function renderFailure(result: Result, terminal: Terminal): string[] {
  if (result.outcome.kind !== 'failed') return [];
  const title = `✗ ${fullName(result)}  [${result.target}]  ${result.rules.join(' ')}`;
  const { message, exchanges } = result.outcome;
  const last = exchanges.at(-1);
  return [
    '',
    paint(title, 31, terminal),
    ...(message ? message.split('\n').map((line) => `  ${line}`) : []),
    ...exchanges.slice(0, -1).map((one) => `  ${one.step}: ${firstLine(one)} -> ${statusOf(one.answer)}`),
    ...(last ? renderExchange(last, terminal) : []),
  ];
}

function renderExchange(exchange: Exchange, terminal: Terminal): string[] {
  const request = Buffer.concat([exchange.sent.head, exchange.sent.body]);
  const expected = exchange.expected ? expectedLines(exchange.expected) : ['(a 2xx answer)'];
  return [
    '  differences:',
    ...exchange.differences.flatMap((one) => [
      `    ${one.where}`,
      `      expected ${clip(one.expected)}`,
      `      got      ${clip(one.got)}`,
    ]),
    `  ${exchange.step}, request:`,
    ...visible(request).map((line) => `    ${line}`),
    ...sideBySide(
      ['EXPECTED', ...expected],
      ['GOT', ...answerLines(exchange.answer)],
      terminal.width - 2,
    ).map((l) => `  ${l}`),
  ];
}

function expectedLines(expected: CaseAnswer): string[] {
  const named = expected.headers ?? (expected.closed ? 'json-close' : 'json');
  const headers = { ...(typeof named === 'string' ? HEADER_SETS[named] : named), ...expected['headers+'] };
  const lines = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name}: ${one}`),
  );
  const body = expected.body ?? expected.body_file ?? expected.body_base64 ?? JSON.stringify(expected.json);
  return [`${expected.status}`, ...lines.sort(), '', clip(body ?? '')];
}

function answerLines(answer: Answer): string[] {
  if (answer.kind === 'silent') return ['(closed without an answer)'];
  if (answer.kind === 'late')
    return [`(no whole answer within ${answer.afterMs} ms)`, ...visible(answer.received)];
  if (answer.kind === 'garbled') return [`(no HTTP answer: ${answer.problem})`, ...visible(answer.received)];
  const { status, headers, body } = answer.response;
  return [
    `${status}`,
    ...headers.map(([name, value]) => `${name.toLowerCase()}: ${value}`).sort(),
    '',
    clip(body.toString()),
  ];
}

function renderSkipped(results: readonly Result[]): string[] {
  const groups = new Map<string, string[]>();
  for (const one of results) {
    if (one.outcome.kind !== 'skipped') continue;
    const key = `[${one.target}] ${one.outcome.reason}`;
    groups.set(key, [...(groups.get(key) ?? []), fullName(one)]);
  }
  return [...groups].flatMap(([reason, names]) => [`  ${reason}`, ...names.map((name) => `    ${name}`)]);
}

function section(title: string, lines: readonly string[], terminal: Terminal): string[] {
  return lines.length === 0 ? [] : ['', paint(title, 1, terminal), ...lines];
}

function firstLine(exchange: Exchange): string {
  return exchange.sent.head.toString('latin1').split('\r\n')[0] ?? '';
}

function statusOf(answer: Answer): string {
  return answer.kind === 'response' ? String(answer.response.status) : answer.kind;
}

/** Returns text with its control characters escaped. */
function visible(bytes: Buffer): string[] {
  const text = clip(bytes.toString()).replace(/\r\n/g, '\n');
  return text
    .split('\n')
    .map((line) => line.replace(/\p{Cc}/gu, (char) => JSON.stringify(char).slice(1, -1)));
}

function clip(text: string): string {
  return text.length <= SHOWN_BYTES ? text : `${text.slice(0, SHOWN_BYTES)}… (${text.length} characters)`;
}

function paint(text: string, code: number, terminal: Terminal): string {
  return terminal.colour && code > 0 ? `\u001b[${code}m${text}\u001b[0m` : text;
}
