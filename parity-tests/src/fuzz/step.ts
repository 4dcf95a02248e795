/** A step of a fuzzing session: a request, a stream, or an event in the life of both servers. Also as JSON. */
import type { Outgoing } from '@twin-ingest/testkit/http/http-client.ts';

export type Step =
  | { readonly kind: 'request'; readonly sent: Outgoing }
  /** Reads the stream after an id up to an event that is stored for this purpose. */
  | { readonly kind: 'stream'; readonly after: number; readonly session: string | undefined }
  | { readonly kind: 'restart'; readonly isKill: boolean }
  /** Each server continues the database of the other one. */
  | { readonly kind: 'swap' };

export function isRequest(step: Step): step is Extract<Step, { kind: 'request' }> {
  return step.kind === 'request';
}

/** Returns the steps as the text of a file that `parseSteps` reads. */
export function stepsText(steps: readonly Step[]): string {
  const lines = steps.map((step) => {
    if (!isRequest(step)) return JSON.stringify(step);
    const { method, head, body, awaitContinue } = step.sent;
    const bytes = { head: head.toString('base64'), body: body.toString('base64') };
    return JSON.stringify({ kind: 'request', method, ...bytes, awaitContinue });
  });
  return `${lines.join('\n')}\n`;
}

export function parseSteps(text: string): Step[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const step = JSON.parse(line);
    if (step.kind !== 'request') return step as Step;
    const { method, awaitContinue } = step;
    const [head, body] = [Buffer.from(step.head, 'base64'), Buffer.from(step.body, 'base64')];
    return { kind: 'request', sent: { method, head, body, awaitContinue } };
  });
}
