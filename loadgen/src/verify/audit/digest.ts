/**
 * The digest of a multiset of rows: their hashes added in four lanes of 32 bits, each modulo 2^32.
 *
 * Invariant: the order of rows does not matter, and a row that occurs twice counts twice. So parts can be digested
 * separately and merged.
 */

export interface DigestPart {
  readonly count: number;
  readonly lanes: readonly number[];
}

const LANES = 4;
const LANE_BYTES = 4;

export class MultisetDigest {
  readonly #lanes = new Uint32Array(LANES);
  #count = 0;

  /** Adds one member by its hash, a string with one byte per character. The first 128 bits are used. */
  add(hash: string): void {
    this.#count++;
    for (let lane = 0; lane < LANES; lane++) {
      const at = lane * LANE_BYTES;
      const low = hash.charCodeAt(at) | (hash.charCodeAt(at + 1) << 8);
      this.#lanes[lane]! += low | (hash.charCodeAt(at + 2) << 16) | (hash.charCodeAt(at + 3) << 24);
    }
  }

  merge(part: DigestPart): void {
    this.#count += part.count;
    for (let lane = 0; lane < LANES; lane++) this.#lanes[lane]! += part.lanes[lane]!;
  }

  part(): DigestPart {
    return { count: this.#count, lanes: [...this.#lanes] };
  }

  get count(): number {
    return this.#count;
  }

  hex(): string {
    return [...this.#lanes].map((lane) => lane.toString(16).padStart(2 * LANE_BYTES, '0')).join('');
  }
}
