/** A TCP server whose connections a test controls. */
import net from 'node:net';

export interface TcpServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Listens, and passes every connection to `serve`. Errors of its sockets come from the test and are ignored. */
export async function listen(serve: (socket: net.Socket) => void): Promise<TcpServer> {
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    serve(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as net.AddressInfo).port,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Answers each complete head with the next of these texts. The last entry repeats. */
export function answering(...answers: readonly string[]): (socket: net.Socket) => void {
  return (socket) => {
    let text = '';
    let count = 0;
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        text = text.slice(end + 4);
        socket.write(answers[Math.min(count, answers.length - 1)]!);
        count += 1;
      }
    });
  };
}
