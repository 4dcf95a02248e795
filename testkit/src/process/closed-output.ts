/**
 * Handles a closed output: the program that reads it ends early, as `head` does.
 *
 * Writing then fails with EPIPE (write(2)), which ends a Node program with a stack trace and leaves its servers and
 * folders behind. It is not a failure: the program completes or ends its work in order.
 */

/** Takes effect at once; `onLeft` is called for each write to the closed output. */
export function letReadersLeave(onLeft: () => void = () => {}): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      onLeft();
    });
}
