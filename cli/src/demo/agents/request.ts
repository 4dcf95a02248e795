/** Builds agents' requests: a body for a route of the server, and telemetry bodies. */
import { type Members, otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import type { Session, Step } from '../steps.ts';

export interface Request {
  readonly path: string;
  readonly body: object;
}

/** Returns a session's requests for a step; `at` is the agent's clock. */
export type Sending = (step: Step, at: Date) => readonly Request[];
/** Starts a session, and returns how it sends its steps. */
export type Agent = (session: Session) => Sending;

/** The origin of an agent's records. */
export interface Origin {
  readonly service: string;
  readonly version: string;
  readonly scope: string;
}

/** Returns a request with these records; an empty list if there are none. */
export function logs(origin: Origin, records: readonly Members[]): Request[] {
  return records.length === 0
    ? []
    : [{ path: '/v1/logs', body: otlpRequest({ ...groupOf(origin), logs: records }) }];
}

export function spans(origin: Origin, records: readonly Members[]): Request[] {
  return [{ path: '/v1/traces', body: otlpRequest({ ...groupOf(origin), spans: records }) }];
}

function groupOf({ service, version, scope }: Origin) {
  return { resource: { 'service.name': service, 'service.version': version }, scope };
}

/** Formats a moment for OTLP. */
export function nanos(at: Date): string {
  return `${at.getTime()}000000`;
}
