/**
 * Sends seeded random requests to both servers: any difference in status, headers or body is a failure.
 *
 * After a difference or an abandoned request that may have left different rows, both servers restart on empty
 * databases, since all later answers would differ. Requests that rule HTT-08 leaves open are skipped and counted; any
 * two refusals count as equal.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import type { Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import { areRefusals, isUndecodable, kindOfDifference } from '../src/differential/compare.ts';
import { type Difference, describeDifference, differenceAsCase } from '../src/differential/difference.ts';
import { startPair } from '../src/differential/pair.ts';
import { randomRequest } from '../src/differential/requests.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const DIFFERENTIAL: ScenarioFile = {
  name: 'differential',
  about: 'seeded random requests to both servers',
  scenarios: [
    { name: 'random requests are answered alike', rules: ['LAW'], uses: 'both', run: randomRequests },
  ],
};

/** The run ends after this many differences, or kinds of them. Further ones add no information. */
const MOST_KINDS = 12;
const MOST_DIFFERENCES = 200;
/** Matches requests that rule HTT-08 leaves open: several spaces in a request line, and RTSP or ICE instead of HTTP. */
const LEFT_OPEN = /^[A-Z-]+ {2}|^[^\r\n]* {2}[A-Z]+\/|^[^\r\n]* (?:RTSP|ICE)\//;

async function randomRequests(context: ScenarioContext): Promise<void> {
  const { seed, requests } = context.options;
  const random = seededRandom(seed);
  const kinds = new Map<string, Difference>();
  const statuses = new Map<string, number>();
  const count = { sent: 0, different: 0, leftOut: 0 };
  const begun = performance.now();
  let pair = await startPair(context, 0);
  while (count.sent < requests && kinds.size < MOST_KINDS && count.different < MOST_DIFFERENCES) {
    const sent = randomRequest(random);
    count.sent += 1;
    if (LEFT_OPEN.test(sent.head.toString('latin1'))) {
      count.leftOut += 1;
      continue;
    }
    const [rs, ts] = await pair.ask(sent);
    const status = rs.split('\n')[0]!;
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const isEqual = (rs === ts && !isUndecodable(rs)) || areRefusals(rs, ts);
    if (!isEqual) {
      count.different += 1;
      const kind = kindOfDifference(rs, ts);
      const seen = kinds.get(kind);
      if (seen) seen.repeats += 1;
      else kinds.set(kind, { number: count.sent, sent, rs, ts, repeats: 0 });
    }
    // One server may have stored an abandoned request.
    if ((isEqual && rs !== 'late') || !mayStore(sent)) continue;
    await pair.stop();
    pair = await startPair(context, count.sent);
  }
  const perSecond = Math.round((count.sent * 1_000) / (performance.now() - begun));
  const sums = [...statuses]
    .sort(([, one], [, other]) => other - one)
    .map(([status, sum]) => `${status} ${sum}`);
  context.note(
    `seed ${seed}, ${count.sent} requests, ${perSecond} a second, ${count.different} differences, ${count.leftOut} left out: ${sums.join(', ')}`,
  );
  const differences = [...kinds.values()];
  if (differences.length > 0 && context.options.saveCase) {
    writeFileSync(context.options.saveCase, differenceAsCase(differences[0]!, seed));
  }
  assert.ok(differences.length === 0, differences.map((one) => describeDifference(one, seed)).join('\n'));
}

function mayStore(sent: Outgoing): boolean {
  return ['POST', 'PUT'].includes(sent.method) && sent.body.length > 0;
}
