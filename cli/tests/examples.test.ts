/** Checks that lines of real transcripts become the events of `contract/agents/NAME/examples.json`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { MAPPINGS } from '../src/import/mapping.ts';
import { Transcript } from '../src/import/transcript.ts';

interface Example {
  readonly source: string;
  readonly records: readonly unknown[];
  readonly events: readonly unknown[];
}

for (const [agent, mapping] of Object.entries(MAPPINGS)) {
  const file = new URL(`../../contract/agents/${agent}/examples.json`, import.meta.url);
  const { examples } = JSON.parse(readFileSync(file, 'utf8')) as { examples: Example[] };
  const own = examples.filter(({ source }) => source === 'transcripts');
  test(`the transcripts in the examples of ${agent} become their events`, () => {
    assert.ok(own.length > 0);
    for (const { records, events } of own) {
      const problems: string[] = [];
      const transcript = new Transcript(mapping, '/t.jsonl', {
        problem: (kind, line, name) => problems.push(`${kind} ${line} ${name}`),
        isCopy: () => false,
      });
      const lines = records.map((record, at) => ({
        number: at + 1,
        text: JSON.stringify(record),
        fault: null,
        bytes: 1,
      }));
      const found = [...lines.flatMap((line) => transcript.read(line)), ...transcript.end()];
      assert.deepEqual(problems, []);
      assert.deepEqual(
        found.map(({ event }) => event),
        events,
      );
    }
  });
}
