/**
 * Reads values as most clients write them: members in the order of the schema, texts without needless escapes.
 *
 * A body that is one call is parsed at once. Where a value is printed as it was sent, nothing else is in its text, so
 * that its depth and its end are known without a scan. Invariant: what is read does not depend on that.
 */

/** A body that is one call. It is parsed when its arguments are first asked for. */
export class WholeCall {
  private readonly bytes: Buffer;
  private text: string | undefined;
  private call: { readonly params?: unknown } | undefined;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** The last `params` of the call. Throws where the body is no JSON. */
  get params(): unknown {
    this.text ??= this.bytes.toString();
    this.call ??= JSON.parse(this.text) as { readonly params?: unknown };
    return this.call.params;
  }

  /** The end of the value that begins here, where its text is this one. */
  endOf(printed: string, start: number): number | undefined {
    const { text = '', bytes } = this;
    const isAscii = text.length === bytes.length;
    const from = isAscii ? start : bytes.toString('utf8', 0, start).length;
    if (text.slice(from, from + printed.length) !== printed) return undefined;
    return start + (isAscii ? printed.length : Buffer.byteLength(printed));
  }
}
