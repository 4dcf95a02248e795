/** Shrinks steps that end in a difference: fewer steps first, then a shorter last request. */
import type { Outgoing } from '@twin-ingest/testkit/http/http-client.ts';
import { isRequest, type Step } from './step.ts';

/** Returns whether these steps still end in the same kind of difference. */
export type Check = (steps: readonly Step[]) => Promise<boolean>;

/** Returns the shortest steps that it finds with at most `most` checks. */
export async function shrink(steps: readonly Step[], check: Check, most: number): Promise<readonly Step[]> {
  let left = most;
  const limited: Check = async (tried) => {
    left -= 1;
    return left >= 0 && (await check(tried));
  };
  const last = steps.at(-1)!;
  const before = await fewer(steps.slice(0, -1), (tried) => limited([...tried, last]));
  if (!isRequest(last)) return [...before, last];
  const withSent = (sent: Outgoing): Step[] => [...before, { kind: 'request', sent }];
  const lines = last.sent.head.toString('latin1').split('\r\n');
  const [first = '', ...headers] = lines.slice(0, -2);
  const headOf = (kept: readonly string[]): Buffer =>
    Buffer.from([first, ...kept, '', ''].join('\r\n'), 'latin1');
  const kept = await fewer(headers, (tried) => limited(withSent({ ...last.sent, head: headOf(tried) })));
  const sized = (body: Buffer): Outgoing => {
    const fitting = kept.map((line) =>
      /^content-length:/i.test(line) ? `Content-Length: ${body.length}` : line,
    );
    return { ...last.sent, head: headOf(fitting), body };
  };
  if (last.sent.body.length === 0) return withSent(sized(last.sent.body));
  const bytes = await fewer([...last.sent.body], (tried) => limited(withSent(sized(Buffer.from(tried)))));
  // Unchanged bytes keep the length that their client declared.
  if (bytes.length === last.sent.body.length) return withSent({ ...last.sent, head: headOf(kept) });
  return withSent(sized(Buffer.from(bytes)));
}

/** Removes parts of a list, from halves down to single items, as long as the check holds (ddmin, Zeller 2002). */
async function fewer<T>(
  items: readonly T[],
  check: (tried: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> {
  let kept = items;
  for (let size = Math.ceil(items.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < kept.length; ) {
      const tried = [...kept.slice(0, at), ...kept.slice(at + size)];
      if (await check(tried)) kept = tried;
      else at += size;
    }
  }
  return kept;
}
