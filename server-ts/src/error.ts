/**
 * Lists every error answer: a stable code, and the members that go with it.
 *
 * `contract/vocabulary.json` holds the status, public text and `Retry-After` of each code; tests/contract.test.ts
 * checks that this union matches it. This module knows nothing of HTTP; `http/reply` turns a failure into an answer.
 */
import { type ErrorSpec, VOCABULARY } from './contract.ts';

/** The error codes of the contract (rule HTT-01). */
export const ERROR_CODES = [
  'invalid_json',
  'invalid_msgpack',
  'invalid_protobuf',
  'invalid_otlp',
  'invalid_event',
  'invalid_batch',
  'invalid_parameter',
  'bad_request',
  'unauthorized',
  'forbidden_host',
  'forbidden_origin',
  'not_found',
  'method_not_allowed',
  'not_acceptable',
  'request_timeout',
  'attachment_exists',
  'backup_running',
  'cluster_unsupported',
  'payload_too_large',
  'answer_too_large',
  'batch_too_large',
  'uri_too_long',
  'unsupported_media_type',
  'unsupported_encoding',
  'range_not_satisfiable',
  'expectation_failed',
  'digest_mismatch',
  'headers_too_large',
  'internal',
  'overloaded',
  'draining',
  'storage_busy',
  'storage_error',
  'storage_corrupt',
  'storage_lost',
  'read_only',
  'cluster_unavailable',
  'cluster_behind',
  'stream_limit',
  'storage_full',
  'attachments_full',
] as const;

export type ErrorCode = (typeof ERROR_CODES)[number];

/** Returns status, text and `Retry-After` of a code, from the contract. */
export function errorSpec(code: ErrorCode): ErrorSpec {
  return VOCABULARY.errors[code];
}

/** Further members of a failure's answer, in their order. */
type Members = Readonly<Record<string, unknown>>;

/** A code, further members of the answer, and whether the connection closes. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly members: Members;
  /** Whether the connection closes after this answer. */
  readonly close: boolean;

  constructor(code: ErrorCode, members: Members = {}, close = false) {
    super(code);
    this.name = 'Failure';
    this.code = code;
    this.members = members;
    this.close = close;
  }
}
