/**
 * Handles a closed output: the program that reads it ends early, as `head` does.
 *
 * Writing then fails with EPIPE (write(2)), which would end a Node program with a stack trace and leave its servers and
 * folders behind. A closed output is not a failure: the program completes or ends its work in order.
 */

/** Installs the handler at once. `onLeft` is called for each write to the closed output. */
export function letReadersLeave(onLeft: () => void = () => {}): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      onLeft();
    });
}
