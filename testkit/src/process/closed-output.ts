/**
 * What a program does when whoever reads its output leaves before the end, as `head` does.
 *
 * Writing then fails with EPIPE (write(2)), which ends a program of Node with a stack trace, servers and folders of its
 * own left behind. Nobody is there to be told, so it is no failure: what was begun is finished, or ended in order.
 */

/** From now on; `onLeft` is called for each write that nobody takes. */
export function letReadersLeave(onLeft: () => void = () => {}): void {
  for (const output of [process.stdout, process.stderr])
    output.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      onLeft();
    });
}
