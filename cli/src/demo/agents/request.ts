/** What an agent sends: a body for an address of the server, and how bodies of telemetry are made. */
import { type Members, otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import type { Session, Step } from '../steps.ts';

export interface Request {
  readonly path: string;
  readonly body: object;
}

/** What a session sends of a step; `at`: the agent's clock. */
export type Sending = (step: Step, at: Date) => readonly Request[];
/** Begins a session. */
export type Agent = (session: Session) => Sending;

/** Where records of an agent come from. */
export interface Origin {
  readonly service: string;
  readonly version: string;
  readonly scope: string;
}

/** A request of records; nothing where there are none. */
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

/** As OTLP has a moment. */
export function nanos(at: Date): string {
  return `${at.getTime()}000000`;
}
