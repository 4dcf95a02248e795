/** Holds a request with what is known of it, as a handler gets it. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Head } from './head.ts';

/** A request, what is known of it, and the answer to be. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: Head;
  /** The origin that may read the answer (rule SEC-04). */
  origin: string | undefined;
  /** The whole body was taken, or 100 was sent and it is being read. */
  bodyTaken: boolean;
  /** Whether the server is about to end, so that no connection goes on. */
  isDraining(): boolean;
}
