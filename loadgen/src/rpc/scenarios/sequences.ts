/**
 * Sequences of each type at each length. Each type has a fresh process, so that the garbage of other types does not
 * affect its rows.
 */
import type { Call } from '../call.ts';
import { hasText, measureCalls, type Scenario, usualCall } from '../scenario.ts';
import { IN_FLIGHT, type Sizes } from '../sizes.ts';
import { ORIGINAL_TYPES, type Strings, type TypeName } from '../values.ts';

export const sequencesScenario: Scenario = {
  name: 'sequences',
  async measure(servers, context) {
    const { sequence_s, warm_up_s } = context.sizes;
    for (const type of ORIGINAL_TYPES) {
      const from = performance.now();
      const length = { slice_s: sequence_s, warm_up_s, least: 1 };
      await measureCalls(servers, callsOf(type, context.sizes), length, context);
      context.progress.say(`sequences of ${type}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
    }
  },
};

function callsOf(type: TypeName, sizes: Sizes): Call[] {
  const { lengths, random_lengths, unchecked_lengths, in_flight_lengths, formats } = sizes;
  const of = (wanted: readonly number[], other: Partial<Call> = {}, strings: Strings = 'identical') =>
    wanted.map((length) => usualCall({ type, length, strings }, other));
  return [
    ...formats.flatMap((format) => [
      ...of(lengths, { format }),
      ...(hasText(type) ? of(random_lengths, { format }, 'random') : []),
    ]),
    ...of(unchecked_lengths, { client: 'unchecked' }),
    ...of(in_flight_lengths, { client: 'raw' }),
    ...of(in_flight_lengths, { in_flight: IN_FLIGHT }),
    ...of(in_flight_lengths, { in_flight: IN_FLIGHT, client: 'raw' }),
  ];
}
