/** Makes hooks with a hostile value at a path that the mapping of their agent reads. */
import { changed, keysOf, someChange, writeJson } from '@twin-ingest/testkit/hostile/json.ts';
import { SHORT_VALUES } from '@twin-ingest/testkit/hostile/values.ts';
import type { Entries, Fields } from '../mapped-value.ts';
import type { Members } from '../otlp-values.ts';
import { Pool, startOf, type Target } from './pool.ts';
import { readingsOf, textsOf } from './readings.ts';

export interface Hooks {
  readonly name: { readonly from: readonly string[] };
  readonly fields: Fields;
  readonly records: Entries;
}

/** Returns a target for each path. `example` is a real payload. */
export function hookTargets(agent: string, { records, ...common }: Hooks, example: Members): Target[] {
  return readingsOf(common, records).map((reading) => {
    const pool = new Pool();
    return (random, serial) => {
      const { name, rule, free } = random.pick(reading.records);
      // Most hooks are about a subject of their own, so that they are not duplicates.
      const same = [rule?.same?.from ?? []].flat().map((from) => [from, `same-${serial}`]);
      const texts = { ...Object.fromEntries(same), ...textsOf(random, rule) };
      const payload = { ...example, ...texts, [random.pick(common.name.from)]: name };
      const [change, text] = [someChange(random), pool.next(random)];
      // Fields do not depend on each other, so that one hook tests several.
      const more = free.filter((path) => path !== reading.path && random.chance(0.5));
      const hostile = more.reduce<unknown>(
        (record, path) => changed(record, keysOf(path), 'replace', random.pick(SHORT_VALUES)),
        payload,
      );
      return {
        what: `${change} ${reading.path} of ${name} with ${startOf(text)}`,
        path: `/api/hooks/${agent}`,
        type: 'application/json',
        body: Buffer.from(writeJson(changed(hostile, keysOf(reading.path), change, text))),
      };
    };
  });
}
