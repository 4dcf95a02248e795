/** A client that sends requests and reads no byte, until it reads everything at once. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** What the server has sent, and whether it has closed the connection. */
export interface Sent {
  readonly bytes: number;
  readonly isClosed: boolean;
}

export class SilentReader {
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(port: number): Promise<SilentReader> {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    socket.pause();
    await once(socket, 'connect');
    return new SilentReader(socket);
  }

  /** Sends bytes; those that the server does not take stay here. */
  write(bytes: string): void {
    this.#socket.write(bytes);
  }

  /** Reads until the server closes the connection, or has sent nothing for a while. */
  async read(quietMs: number): Promise<Sent> {
    const socket = this.#socket;
    let [bytes, isClosed] = [0, socket.closed];
    const ended = new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, quietMs);
      socket.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        timer.refresh();
      });
      const close = (): void => {
        isClosed = true;
        clearTimeout(timer);
        resolve();
      };
      socket.once('end', close).once('close', close);
      if (isClosed) close();
    });
    socket.resume();
    await ended;
    return { bytes, isClosed };
  }

  close(): void {
    this.#socket.destroy();
  }
}
