/**
 * One value of each type: the caller of client-ts with and without checks, raw bytes, and one or several calls in
 * flight.
 */
import { measureCalls, type Scenario, usualCall } from '../scenario.ts';
import { IN_FLIGHT } from '../sizes.ts';
import { SCALAR_TYPES, type Subject, TEXT_TYPES } from '../values.ts';

export const scalarsScenario: Scenario = {
  name: 'scalars',
  async measure(servers, context) {
    const { scalar_s, warm_up_s, formats } = context.sizes;
    const identical = SCALAR_TYPES.map((type): Subject => ({ type, length: null, strings: 'identical' }));
    const random = TEXT_TYPES.map((type): Subject => ({ type, length: null, strings: 'random' }));
    const calls = [
      ...formats.flatMap((format) =>
        [...identical, ...random].map((subject) => usualCall(subject, { format })),
      ),
      ...identical.map((subject) => usualCall(subject, { client: 'unchecked' })),
      ...identical.map((subject) => usualCall(subject, { client: 'raw' })),
      ...identical.map((subject) => usualCall(subject, { in_flight: IN_FLIGHT })),
      ...identical.map((subject) => usualCall(subject, { in_flight: IN_FLIGHT, client: 'raw' })),
    ];
    await measureCalls(servers, calls, { slice_s: scalar_s, warm_up_s, least: 1 }, context);
  },
};
