/** Holds a request and the facts about it that a handler needs. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteSpec } from '../contract.ts';
import type { Meters } from '../meters.ts';
import type { AnswerRoom } from './answer-room.ts';
import type { Head } from './head.ts';
import type { Answer } from './negotiation.ts';

/** A request, the facts about it, and its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly head: Head;
  readonly meters: Meters;
  /** The room for answers that clients have not taken. */
  readonly answers: AnswerRoom;
  /** Start of the request, by `performance.now()`. */
  readonly startedMs: number;
  /** The route of the path for `meters`. */
  readonly routePlace: number;
  /** The method for `meters`. */
  readonly methodPlace: number;
  /** The origin that may read the answer (rule SEC-04). */
  origin: string | undefined;
  /** The route and the form of its answer; set once the method and `Accept` are checked. */
  route: RouteSpec | undefined;
  answer: Answer | undefined;
  /** The form of every answer to telemetry, set once its media type is accepted (rule OTL-01). */
  telemetry: Answer | undefined;
  /** Whether `Accept` selects the format of the answer (rule HTT-13). */
  hasChoice: boolean;
  /** Whether the body was read whole, or the server sent 100 and is reading it. */
  bodyTaken: boolean;
  /** Returns why newer rows may exist, where the answer has rows (rule CLU-10). */
  staleness: (() => string | undefined) | undefined;
  /** Returns whether the server is draining, so that every connection closes. */
  isDraining(): boolean;
}
