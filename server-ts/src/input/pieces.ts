/**
 * Holds what was read and not taken yet, as the pieces in which it came.
 *
 * Only this server has this file: Rust appends what it reads to one buffer of a library.
 */

export class Pieces {
  length = 0;
  private pieces: Buffer[] = [];

  push(piece: Buffer): void {
    if (piece.length === 0) return;
    this.pieces.push(piece);
    this.length += piece.length;
  }

  /** The first bytes; nothing before so many have come. */
  first(length: number): Buffer | undefined {
    if (this.length < length) return undefined;
    const [piece] = this.pieces;
    if (piece !== undefined && piece.length >= length) return piece.subarray(0, length);
    return Buffer.concat(this.pieces).subarray(0, length);
  }

  /** Moves the first bytes into a buffer, as many as it has room for. */
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

  /** Drops all bytes behind the first ones. */
  truncate(length: number): void {
    while (this.length > length) {
      const piece = this.pieces.pop()!;
      this.length -= piece.length;
      if (this.length < length) this.push(piece.subarray(0, length - this.length));
    }
  }
}
