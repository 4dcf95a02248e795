/**
 * The digest of a multiset of rows: their hashes added in four lanes of 32 bits, each modulo 2^32.
 *
 * Invariant: the order of rows does not matter, and a row that occurs twice counts twice.
 */

export interface Digest {
  readonly count: number;
  readonly hex: string;
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

  digest(): Digest {
    const hex = [...this.#lanes].map((lane) => lane.toString(16).padStart(2 * LANE_BYTES, '0')).join('');
    return { count: this.#count, hex };
  }
}
