/**
 * Reads values as most clients write them: members in the order of the schema, texts without needless escapes.
 *
 * A body that is one call is parsed at once. Where a value is printed as it was sent, nothing else is in its text, so
 * that its depth and its end are known without a scan. Invariant: what is read does not depend on that.
 */

/** So many items of an array are printed at once: the text of all of them would take as much memory as the body. */
const PIECE_ITEMS = 1000;
/** From here on a result stays bytes. */
const LONG_BYTES = 1 << 16;
/** From here on a text is decoded into memory of V8: what the C library frees in such pieces, it keeps for later. */
const LONG_TEXT = 1 << 23;

/** Where an argument ends that is printed as it was sent, and its text. */
export interface AsSent {
  readonly end: number;
  readonly text: string | Uint8Array;
}

/** A body that is one call. It is parsed when its arguments are first asked for. */
export class WholeCall {
  private readonly bytes: Buffer;
  private text = '';
  private call: { readonly params?: unknown } | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The last `params` of the call. Throws where the body is no JSON. */
  get params(): unknown {
    if (this.call === undefined) {
      const isLong = this.bytes.length > LONG_TEXT;
      this.text = isLong
        ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(this.bytes)
        : this.bytes.toString();
      this.call = JSON.parse(this.text) as { readonly params?: unknown };
    }
    return this.call.params;
  }

  /** The one argument of the array that begins here, where it is printed as it was sent. */
  asSent(argument: unknown, start: number): AsSent | undefined {
    const { text, bytes } = this;
    const isAscii = text.length === bytes.length;
    const from = isAscii ? start : bytes.toString('utf8', 0, start).length;
    let at = from;
    for (const piece of piecesOf(argument)) {
      if (text.slice(at, at + piece.length) !== piece) return undefined;
      at += piece.length;
    }
    const argumentText = text.slice(from + 1, at - 1);
    const end = start + (isAscii ? at - from : Buffer.byteLength(argumentText) + 2);
    const isLong = end - start > LONG_BYTES;
    return { end, text: isLong ? bytes.subarray(start + 1, end - 1) : argumentText };
  }
}

/** An array of one argument, printed piece by piece. */
function* piecesOf(argument: unknown): Generator<string> {
  if (!Array.isArray(argument) || argument.length <= PIECE_ITEMS) {
    yield `[${JSON.stringify(argument)}]`;
    return;
  }
  for (let index = 0; index < argument.length; index += PIECE_ITEMS) {
    const items = JSON.stringify(argument.slice(index, index + PIECE_ITEMS));
    yield (index === 0 ? '[[' : ',') + items.slice(1, -1);
  }
  yield ']]';
}
