/**
 * Runs one case against one server: given, when, then, stored, then_also.
 *
 * Invariant: every answer is compared whole. After each answer that keeps its connection open, the connection is used
 * again. This proves that it is open and that no byte was left over. Knows nothing of servers as processes, or of
 * reports.
 */
import { metadataOfRows } from '@twin-ingest/testkit/events/metadata-span.ts';
import {
  type Answer,
  announcesClose,
  Connection,
  compose,
  type Outgoing,
  type Response,
} from '@twin-ingest/testkit/http/http-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import type { AnsweredCase, CaseAnswer, Step, StoredRows } from './case.ts';
import { compareAnswer, describeMissing } from './compare-answer.ts';
import { type Difference, matchJson } from './match.ts';
import { atPointer, fill, newPlaceholders, type Placeholders } from './placeholders.ts';
import { buildRequest } from './request.ts';
import { wholeRow } from './stored-row.ts';

/** One request with its answer, and their differences. */
export interface Exchange {
  readonly step: string;
  readonly sent: Outgoing;
  readonly answer: Answer;
  readonly expected: CaseAnswer | undefined;
  readonly differences: readonly Difference[];
}

/** Time limit for closing a connection after an answer that announces it. */
const CLOSE_MS = 5_000;

/** An empty request, which only reads one more answer. */
const NOTHING: Outgoing = {
  method: 'GET',
  head: Buffer.alloc(0),
  body: Buffer.alloc(0),
  awaitContinue: false,
};

/** Runs a case. The last exchange of the result is the failed one, if any. */
export async function runCase(one: AnsweredCase, port: number, folder: string): Promise<Exchange[]> {
  const known = newPlaceholders(port);
  known.set('<folder>', folder);
  const run = new CaseRun(port, known);
  try {
    for (const [index, step] of (one.given ?? []).entries()) {
      if (!(await run.step(`given ${index + 1}`, step, step.then))) return run.exchanges;
    }
    if (!(await run.step('when', one.when, one.then))) return run.exchanges;
    if (one.stored && !(await run.stored(one.stored))) return run.exchanges;
    for (const [index, step] of (one.then_also ?? []).entries()) {
      if (!(await run.step(`then_also ${index + 1}`, step, step.then))) return run.exchanges;
    }
    return run.exchanges;
  } finally {
    run.close();
  }
}

class CaseRun {
  readonly exchanges: Exchange[] = [];
  readonly #port: number;
  readonly #known: Placeholders;
  #connection: Connection | undefined;

  constructor(port: number, known: Placeholders) {
    this.#port = port;
    this.#known = known;
  }

  /** Returns whether the answer is as expected. */
  async step(name: string, step: Step, then: CaseAnswer | undefined): Promise<boolean> {
    const sent = buildRequest(fill(step, this.#known), this.#port);
    const expected = then && fill(then, this.#known);
    const answer = await this.#exchange(sent);
    const differences = expected ? compareAnswer(expected, answer, sent) : requireSuccess(answer);
    const further = expected?.pipelined ?? [];
    if (differences.length === 0 && further.length === 0)
      differences.push(...(await this.#checkConnection(answer, expected)));
    if (answer.kind === 'response') this.#save(step, answer.response);
    this.exchanges.push({ step: name, sent, answer, expected, differences });
    return differences.length === 0 && (further.length === 0 || this.#pipelined(name, further));
  }

  async stored(stored: StoredRows): Promise<boolean> {
    const { query, rows, metadata } = fill(stored, this.#known);
    const sent = buildRequest({ path: `/api/events?${query}` }, this.#port);
    const answer = await this.#exchange(sent);
    const differences = requireSuccess(answer);
    if (answer.kind === 'response' && differences.length === 0) {
      const body = answer.response.body.toString();
      const got = (JSON.parse(body) as { events?: unknown }).events;
      differences.push(...matchJson(rows.map(wholeRow), got, 'stored'));
      if (metadata) differences.push(...matchJson(metadata, metadataOfRows(body), 'stored metadata'));
    }
    this.exchanges.push({ step: 'stored', sent, answer, expected: undefined, differences });
    return differences.length === 0;
  }

  close(): void {
    this.#connection?.close();
  }

  /** Reads the answers to requests that were sent together with an earlier one. */
  async #pipelined(name: string, further: readonly CaseAnswer[]): Promise<boolean> {
    for (const [index, expected] of further.entries()) {
      const answer = await this.#connection!.exchange(NOTHING);
      const differences = compareAnswer(expected, answer, NOTHING);
      if (differences.length === 0 && index === further.length - 1)
        differences.push(...(await this.#checkConnection(answer, expected)));
      this.exchanges.push({
        step: `${name}, answer ${index + 2}`,
        sent: NOTHING,
        answer,
        expected,
        differences,
      });
      if (differences.length > 0) return false;
    }
    return true;
  }

  async #exchange(sent: Outgoing): Promise<Answer> {
    if (!this.#connection?.reusable) {
      this.#connection?.close();
      this.#connection = await Connection.open(this.#port);
    }
    return this.#connection.exchange(sent);
  }

  /** Checks that the connection is closed where required; otherwise that it is usable, with no bytes left over. */
  async #checkConnection(answer: Answer, expected: CaseAnswer | undefined): Promise<Difference[]> {
    const connection = this.#connection;
    if (!connection || answer.kind !== 'response') return [];
    const shouldClose = expected?.closed ?? announcesClose(answer.response);
    if (shouldClose) {
      if (!(await connection.closedWithin(CLOSE_MS)))
        return [{ where: 'connection', expected: 'closed', got: `open after ${CLOSE_MS} ms` }];
      const more = connection.unread.toString('latin1');
      return more === '' ? [] : [{ where: 'connection', expected: 'closed, nothing left over', got: more }];
    }
    const probe = compose('GET', '/livez', [['host', `127.0.0.1:${this.#port}`]], Buffer.alloc(0));
    const again = connection.reusable ? await connection.exchange(probe) : undefined;
    if (again?.kind === 'response' && again.response.status === 200) return [];
    const left = connection.unread.toString('latin1');
    return [
      { where: 'connection', expected: 'open, nothing left over', got: left || (again?.kind ?? 'closed') },
    ];
  }

  #save(step: Step, response: Response): Difference[] {
    const missing: Difference[] = [];
    for (const [name, from] of Object.entries(step.save ?? {})) {
      const value = from.startsWith('header:')
        ? headerValues(response.headers, from.slice(7).toLowerCase())[0]
        : atPointer(JSON.parse(response.body.toString()), from);
      if (value === undefined)
        missing.push({ where: `save ${name}`, expected: `a value at ${from}`, got: '(absent)' });
      else this.#known.set(`<saved:${name}>`, value);
    }
    return missing;
  }
}

function requireSuccess(answer: Answer): Difference[] {
  if (answer.kind !== 'response')
    return [{ where: 'answer', expected: 'status 2xx', got: describeMissing(answer) }];
  const { status } = answer.response;
  return status >= 200 && status < 300 ? [] : [{ where: 'status', expected: '2xx', got: String(status) }];
}
