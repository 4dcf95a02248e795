/** Writes a difference for a user and as a parity case. */
import { visible } from '../differential/difference.ts';
import { sideBySide } from '../side-by-side.ts';
import type { Difference } from './fuzz.ts';
import { isRequest } from './step.ts';

const SHOWN_CHARACTERS = 2_000;

/** Returns the steps, and both answers to the last one. */
export function describe({ session, steps, found }: Difference, seed: number): string {
  const lines = steps.map((step, i) => {
    const text = isRequest(step)
      ? visible(Buffer.concat([step.sent.head, step.sent.body]))
      : JSON.stringify(step);
    return `step ${i + 1}:\n${text}`;
  });
  const columns = [found.one, found.other].map((answer) =>
    answer
      .slice(0, SHOWN_CHARACTERS)
      .split('\n')
      .map((line) => visible(Buffer.from(line, 'latin1'))),
  );
  const sides = sideBySide(['rs, or on its database', ...columns[0]!], ['ts', ...columns[1]!], 110);
  return `seed ${seed}, session ${session}: the answers to the last of ${steps.length} steps differ\n${[...lines, ...sides].join('\n')}\n`;
}

/**
 * Returns a case file. The expected answer is that of the first server: a maintainer checks it against the contract. A
 * case has no restarts, swaps and streams, so these steps are named in `why` and need a scenario.
 */
export function caseText({ session, steps, found }: Difference, seed: number): string {
  const raw = steps.filter(isRequest).map(({ sent }) => ({
    raw_base64: Buffer.concat([sent.head, sent.body]).toString('base64'),
  }));
  const others = steps.filter((step) => !isRequest(step)).map((step) => JSON.stringify(step));
  const [status = '', ...rest] = found.one.split('\n');
  const given = raw.slice(0, -1);
  const content = {
    $schema: '../case.schema.json',
    about: `A difference that pnpm fuzz found with --seed=${seed} --session=${session}.`,
    cases: [
      {
        name: `seed ${seed}, session ${session}`,
        rule: 'LAW',
        ...(others.length > 0 ? { why: `The steps also had ${others.join(', ')}.` } : {}),
        fresh: true,
        ...(given.length > 0 ? { given } : {}),
        when: raw.at(-1) ?? { path: '/api/events' },
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
