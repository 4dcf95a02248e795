/**
 * Why a comparison failed: a closed list of codes, told apart by code and never by text.
 *
 * Each of them ends the run with exit 1: no speed makes up for it.
 */

export type FailureCode =
  | 'corpus_unusable'
  | 'cannot_repeat'
  | 'build_failed'
  | 'not_built'
  | 'server_failed'
  | 'health_differs'
  | 'parity_difference'
  | 'generator_failed'
  | 'reader_failed'
  | 'reads_failed'
  | 'memory_unknown'
  | 'payload_differs'
  | 'audit_failed'
  | 'stream_failed'
  | 'stream_differs'
  | 'out_of_step'
  | 'browser_failed'
  | 'limit_failed'
  | 'result_invalid';

export class BenchFailure extends Error {
  readonly code: FailureCode;
  /** Further lines for the reader: an exchange, the end of a log. */
  readonly details: readonly string[];
  constructor(code: FailureCode, message: string, details: readonly string[] = []) {
    super(message);
    this.name = 'BenchFailure';
    this.code = code;
    this.details = details;
  }
}

/** The run was stopped from outside; exit 130. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}
