/**
 * A question to whoever sits at the terminal; only a plain yes is a yes, so that Ctrl-C, Ctrl-D and a stray key are not.
 */
import { createInterface } from 'node:readline/promises';

export async function isWanted(
  question: string,
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
): Promise<boolean> {
  const terminal = createInterface({ input, output });
  const closed = new Promise<string>((resolve) => terminal.once('close', () => resolve('')));
  const answer = await Promise.race([terminal.question(question), closed]);
  terminal.close();
  return /^\s*y(?:es)?\s*$/i.test(answer);
}
