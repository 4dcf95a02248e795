/** Asks the user at the terminal; only a plain yes is accepted, so Ctrl-C, Ctrl-D and a stray key mean no. */
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
