/**
 * A running SHA-256 over payloads in their order.
 *
 * Payloads are buffered first, since a call of the hash costs more than copying the bytes of a row. Invariant: both
 * sides of a comparison add only whole payloads. They are JSON objects and need no separator.
 */
import { createHash } from 'node:crypto';

const GATHERED_BYTES = 65_536;

export class PayloadDigest {
  readonly #hash = createHash('sha256');
  readonly #gathered = Buffer.allocUnsafe(GATHERED_BYTES);
  #length = 0;

  add(bytes: Buffer, from: number, to: number): void {
    if (this.#length + to - from > GATHERED_BYTES) this.#flush();
    if (to - from > GATHERED_BYTES) this.#hash.update(bytes.subarray(from, to));
    else this.#length += bytes.copy(this.#gathered, this.#length, from, to);
  }

  hex(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  #flush(): void {
    this.#hash.update(this.#gathered.subarray(0, this.#length));
    this.#length = 0;
  }
}
