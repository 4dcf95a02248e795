/** Reads the bytes of an answer, for the optional formats. */
import type { ResponseLike } from './fetch.ts';
import { joined } from './pieces.ts';

/** Yields the chunks. Throws a `TypeError` if the answer has another media type, such as a proxy's error page. */
export async function* chunksOf({ headers, body }: ResponseLike, type: string): AsyncGenerator<Uint8Array> {
  const given = headers.get('content-type');
  if (given?.split(';')[0]?.trim() !== type) throw new TypeError(`the answer is ${given}, not ${type}`);
  const reader = body?.getReader();
  try {
    for (;;) {
      const { value } = (await reader?.read()) ?? {};
      if (value === undefined) return;
      yield value;
    }
  } finally {
    reader?.cancel().catch(() => undefined);
  }
}

/** Returns all bytes in one array. */
export async function bytesOf(response: ResponseLike, type: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of chunksOf(response, type)) chunks.push(chunk);
  return joined(chunks);
}
