/**
 * Expands OTLP cases: one with an OTLP request becomes two, in JSON and in Protobuf, and an answer is encoded for
 * both.
 *
 * A step with `as` keeps its media type. Knows nothing of servers, and only the changed parts of a case.
 */
// biome-ignore-all lint/suspicious/noThenProperty: this is what a case calls the answer
import { type OtlpAnswer, otlpAnswer } from '@twin-ingest/testkit/otlp/protobuf.ts';

export type OtlpForm = 'json' | 'protobuf';

/** The exporters' names of the two encodings. */
export const OTLP_TYPES: Readonly<Record<OtlpForm, string>> = {
  json: 'application/json',
  protobuf: 'application/x-protobuf',
};

interface Answer {
  readonly otlp?: unknown;
  readonly closed?: boolean;
}

interface Step {
  readonly otlp?: unknown;
  readonly as?: string;
  readonly then?: Answer;
}

interface OtlpCase {
  readonly name: string;
  readonly given?: readonly Step[];
  readonly when: Step;
  readonly then: object;
  readonly then_also?: readonly Step[];
}

const FORMS: readonly (readonly [OtlpForm, string])[] = [
  ['json', 'JSON'],
  ['protobuf', 'Protobuf'],
];

/** Returns the case itself, or the two cases that it represents. */
export function inBothForms<T extends OtlpCase>(one: T): T[] {
  const steps = [...(one.given ?? []), one.when, ...(one.then_also ?? [])];
  if (!steps.some((step) => step.otlp !== undefined && step.as === undefined)) return [inForm(one, 'json')];
  return FORMS.map(([form, word]) => ({ ...inForm(one, form), name: `${one.name}, ${word}` }));
}

function inForm<T extends OtlpCase>(one: T, form: OtlpForm): T {
  const when = stepIn(one.when, form);
  return {
    ...one,
    ...(one.given ? { given: one.given.map((step) => stepIn(step, form)) } : {}),
    when,
    then: answerIn(one.then, formOf(when)),
    ...(one.then_also ? { then_also: one.then_also.map((step) => stepIn(step, form)) } : {}),
  };
}

function stepIn(step: Step, form: OtlpForm): Step {
  const own: Step = step.otlp !== undefined && step.as === undefined ? { ...step, as: form } : step;
  return own.then ? { ...own, then: answerIn(own.then, formOf(own)) } : own;
}

function formOf({ as }: Step): OtlpForm {
  return as === 'protobuf' ? 'protobuf' : 'json';
}

function answerIn({ otlp, ...answer }: Answer, form: OtlpForm): object {
  if (otlp === undefined) return answer;
  if (form === 'json') return { ...answer, body: JSON.stringify(otlp) };
  const headers = {
    'content-type': OTLP_TYPES.protobuf,
    'content-length': '<any-length>',
    date: '<any-date>',
    ...(answer.closed ? { connection: 'close' } : {}),
  };
  return { headers, ...answer, body_hex: otlpAnswer(otlp as OtlpAnswer).toString('hex') };
}
