/**
 * Holds received bytes that are not taken yet, in the pieces that arrived.
 *
 * Only server-ts has this file: Rust appends received bytes to one library buffer.
 */

export class Pieces {
  length = 0;
  private pieces: Buffer[] = [];

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.length += piece.length;
  }

  /** Returns the first bytes; `undefined` before that many have arrived. */
  first(length: number): Buffer | undefined {
    if (this.length < length) return undefined;
    const [piece] = this.pieces;
    if (piece !== undefined && piece.length >= length) return piece.subarray(0, length);
    return Buffer.concat(this.pieces).subarray(0, length);
  }

  /** Moves bytes from the start into a buffer until it is full. */
  take(into: Buffer): void {
    let at = 0;
    let count = 0;
    for (const piece of this.pieces) {
      if (at === into.length) break;
      const copied = piece.copy(into, at);
      at += copied;
      if (copied === piece.length) count++;
      else this.pieces[count] = piece.subarray(copied);
    }
    this.pieces.splice(0, count);
    this.length -= at;
  }

  /** Drops all bytes after the first `length`. */
  truncate(length: number): void {
    while (this.length > length) {
      const piece = this.pieces.pop()!;
      this.length -= piece.length;
      if (this.length < length) this.push(piece.subarray(0, length - this.length));
    }
  }
}
