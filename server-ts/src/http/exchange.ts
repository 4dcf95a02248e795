/** Holds a request with what is known of it, as a handler gets it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteSpec } from '../contract.ts';
import type { Head } from './head.ts';
import type { Answer } from './negotiation.ts';

/** A request, what is known of it, and the answer to be. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: Head;
  /** The origin that may read the answer (rule SEC-04). */
  origin: string | undefined;
  /** The route, and what its answer is to be; known once the method and `Accept` were checked. */
  route: RouteSpec | undefined;
  answer: Answer | undefined;
  /** What every answer to telemetry is to be, once its media type was accepted (rule OTL-01). */
  telemetry: Answer | undefined;
  /** Whether `Accept` chooses the format of the answer (rule HTT-13). */
  hasChoice: boolean;
  /** The whole body was taken, or 100 was sent and it is being read. */
  bodyTaken: boolean;
  /** Whether the server is about to end, so that no connection goes on. */
  isDraining(): boolean;
}
