/** Names what is wrong with an argument: where it is, and a message (rule RPC-03). */
import { fill, LIMITS, VOCABULARY } from '../contract.ts';
import type { Type } from './schema.ts';

const MESSAGES = VOCABULARY.rpc_messages;

/** The first thing that is wrong with the arguments of a call. */
export class Problem {
  readonly message: string;
  /** A JSON Pointer into `params` (RFC 6901). */
  readonly path: string;

  /** A problem of the value that is being looked at. */
  constructor(message: string, path = '') {
    this.message = message;
    this.path = path;
  }

  /** A value of another type than this one. */
  static ofType({ kind }: Type): Problem {
    switch (kind) {
      case 'options':
      case 'any':
        return new Problem(MESSAGES.dictionary);
      case 'sequence':
        return new Problem(fill(MESSAGES.sequence, { limit: LIMITS.rpc_sequence_items }));
      default:
        return new Problem(MESSAGES[kind]);
    }
  }

  /**
   * The same, seen from the container that has it under this name or index. Names are those of the schema, so none has a
   * character that a pointer would escape.
   */
  under(name: string | number): Problem {
    return new Problem(this.message, `/${name}${this.path}`);
  }
}
