/** Asks the user at the terminal. Only a plain yes counts as yes; Ctrl-C, Ctrl-D and any other key mean no. */
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
