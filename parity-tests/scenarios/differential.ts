/**
 * Seeded random requests to both servers: any difference in status, headers or body is a failure.
 *
 * After a difference both start again on empty databases, since what one stored and the other did not would
 * make everything after it differ.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { comparable } from '../src/differential/compare.ts';
import { randomRequest } from '../src/differential/requests.ts';
import { type Answer, announcesClose, Connection, type Outgoing, within } from '../src/http-client.ts';
import { seededRandom } from '../src/random.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { sideBySide } from '../src/side-by-side.ts';

export const DIFFERENTIAL: ScenarioFile = {
  name: 'differential',
  about: 'seeded random requests to both servers',
  scenarios: [
    { name: 'random requests are answered alike', rules: ['LAW'], uses: 'both', run: randomRequests },
  ],
};

/** After so many differences the rest tells nothing new. */
const MOST_DIFFERENCES = 10;
/** A request that is not complete is answered by neither server; this long is waited for an answer of either. */
const SILENCE_MS = 400;

interface Difference {
  readonly number: number;
  readonly sent: Outgoing;
  readonly rs: string;
  readonly ts: string;
}

async function randomRequests(context: ScenarioContext): Promise<void> {
  const { seed, requests } = context.options;
  const random = seededRandom(seed);
  const differences: Difference[] = [];
  const statuses = new Map<string, number>();
  const begun = performance.now();
  let pair = await startPair(context, 0);
  for (let number = 1; number <= requests && differences.length < MOST_DIFFERENCES; number += 1) {
    const sent = randomRequest(random);
    const [rs, ts] = await pair.ask(sent);
    const status = rs.split('\n')[0]!;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (rs === ts) continue;
    differences.push({ number, sent, rs, ts });
    await pair.stop();
    pair = await startPair(context, number);
  }
  const perSecond = Math.round((requests * 1_000) / (performance.now() - begun));
  const kinds = [...statuses]
    .sort(([, one], [, other]) => other - one)
    .map(([status, count]) => `${status} ${count}`);
  context.note(`seed ${seed}, ${requests} requests, ${perSecond} a second: ${kinds.join(', ')}`);
  if (differences.length > 0 && context.options.saveCase)
    save(context.options.saveCase, differences[0]!, seed);
  assert.ok(differences.length === 0, differences.map((one) => describe(one, seed)).join('\n'));
}

interface Pair {
  ask(sent: Outgoing): Promise<[rs: string, ts: string]>;
  stop(): Promise<void>;
}

async function startPair(context: ScenarioContext, number: number): Promise<Pair> {
  const servers = await Promise.all(
    (['rs', 'ts'] as const).map((target) =>
      context.start({ target, db: context.db(`${target}-${number}.db`) }),
    ),
  );
  const lines = servers.map((server) => new Line(server.port));
  return {
    ask: async (sent) => {
      const asked = await Promise.all(lines.map((line) => line.send(sent)));
      const [rs, ts] = await settle(asked);
      return [rs!, ts!];
    },
    stop: async () => {
      for (const line of lines) line.close();
      await Promise.all(servers.map((server) => server.kill()));
    },
  };
}

interface Asked {
  readonly answer: Promise<string>;
  readonly giveUp: () => void;
}

/** Both answers; `late` for both when neither server has anything to say to half a request. */
async function settle(asked: readonly Asked[]): Promise<string[]> {
  if (await within(Promise.any(asked.map((one) => one.answer)), SILENCE_MS)) {
    return Promise.all(asked.map((one) => one.answer));
  }
  for (const one of asked) one.giveUp();
  return asked.map(() => 'late');
}

/** One kept connection to one server, made anew when it was closed. */
class Line {
  readonly #port: number;
  #connection: Connection | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  async send(sent: Outgoing): Promise<Asked> {
    if (!this.#connection?.reusable) {
      this.close();
      this.#connection = await Connection.open(this.#port);
    }
    const connection = this.#connection;
    const judge = async (answer: Answer): Promise<string> => {
      const announced = answer.kind !== 'response' || announcesClose(answer.response);
      const closed = announced && (await connection.closedWithin(3_000));
      if (announced) this.close();
      return comparable(answer, closed);
    };
    return { answer: connection.exchange(sent, 5_000).then(judge), giveUp: () => this.close() };
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
}

function describe(one: Difference, seed: number): string {
  const bytes = Buffer.concat([one.sent.head, one.sent.body]);
  const request = bytes.toString('latin1').slice(0, 3_000);
  const columns = sideBySide(['rs', ...clip(one.rs)], ['ts', ...clip(one.ts)], 110);
  return `\nseed ${seed}, request ${one.number}:\n${request}\n${columns.join('\n')}`;
}

function clip(text: string): string[] {
  return text.slice(0, 2_000).split('\n');
}

/** A case with the request as bytes; what should be answered is for a person to say. */
function save(file: string, one: Difference, seed: number): void {
  const raw = Buffer.concat([one.sent.head, one.sent.body]).toString('base64');
  const [status = '', ...rest] = one.rs.split('\n');
  const body = rest.slice(rest.indexOf('') + 1).join('\n');
  const content = {
    $schema: '../case.schema.json',
    about: `Found by the differential scenario, seed ${seed}, request ${one.number}. The expected answer is that of server-rs: check it against the contract.`,
    cases: [
      {
        name: `seed ${seed}, request ${one.number}`,
        rule: 'LAW',
        when: { raw_base64: raw },
        // biome-ignore lint/suspicious/noThenProperty: this is what a case file calls the answer
        then: { status: Number(status) || 400, body },
      },
    ],
  };
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}
