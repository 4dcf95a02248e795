/** Describes a problem of an argument: its place and a message (rule RPC-03). */
import { fill, LIMITS, VOCABULARY } from '../contract.ts';
import type { Type } from './schema.ts';

const MESSAGES = VOCABULARY.rpc_messages;

/** The first problem of a call's arguments. */
export class Problem {
  readonly message: string;
  /** A JSON Pointer into `params` (RFC 6901). */
  readonly path: string;

  /** Creates a problem of the current value. */
  constructor(message: string, path = '') {
    this.message = message;
    this.path = path;
  }

  /** Creates the problem of a value that does not have this type. */
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
   * Prefixes the path with the name or index in the enclosing container. Names come from the schema, so no character
   * needs an escape in a pointer.
   */
  under(name: string | number): Problem {
    return new Problem(this.message, `/${name}${this.path}`);
  }
}
