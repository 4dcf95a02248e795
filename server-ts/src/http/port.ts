/**
 * Listens on the port: at the address of `--host`, and next to 127.0.0.1 also at ::1 (rule PRO-21).
 *
 * A system may resolve `localhost` to ::1 first. Invariant: both sockets have the same port.
 */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { LIMITS, TUNING } from '../contract.ts';

const IPV4 = '127.0.0.1';
const IPV6 = '::1';

/** The sockets of the port. */
export class Port {
  /** Listens at the address of `--host`. */
  readonly first: Server;
  /** Listens at ::1. */
  readonly second: Server | undefined;
  /** The address of ::1, if another process listens there. */
  readonly taken: string | undefined;

  private constructor(first: Server, second?: Server, taken?: string) {
    this.first = first;
    this.second = second;
    this.taken = taken;
  }

  /**
   * Listens with `first` at an address; port 0 chooses a free one. Passes connections to ::1 to `accept`. Resolves to
   * the error's code on failure.
   */
  static async bind(
    first: Server,
    host: string,
    port: number,
    accept: (socket: Socket) => void,
  ): Promise<Port | string> {
    const listenBeside = async (at: number): Promise<Server | string> => {
      const second = createServer({ allowHalfOpen: true, noDelay: true }, accept);
      return (await listen(second, IPV6, at)) ?? second;
    };
    // The sockets of earlier tries stay open, so that the system chooses another port each time.
    const tries: Server[] = [];
    try {
      while (host === IPV4 && port === 0 && tries.length < TUNING.port_tries) {
        const second = await listenBeside(0);
        if (typeof second === 'string') break;
        const failure = await listen(first, host, portOf(second));
        if (failure === undefined) return new Port(first, second);
        tries.push(second);
        if (failure !== 'EADDRINUSE') return failure;
      }
      const failure = await listen(first, host, port);
      if (failure !== undefined) return failure;
      if (host !== IPV4) return new Port(first);
      const second = await listenBeside(portOf(first));
      if (typeof second !== 'string') return new Port(first, second);
      // Any other error: the machine has no IPv6, or not for this process.
      return new Port(first, undefined, second === 'EADDRINUSE' ? `[${IPV6}]:${portOf(first)}` : undefined);
    } finally {
      for (const server of tries) server.close();
    }
  }

  /** The address of each socket; the first one is that of the URL. */
  get addresses(): string[] {
    return [this.first, ...(this.second === undefined ? [] : [this.second])].map((server) => {
      const { address, port } = server.address() as AddressInfo;
      return `${address.includes(':') ? `[${address}]` : address}:${port}`;
    });
  }

  /** Stops listening at ::1; resolves when the connections to it have ended. */
  closeSecond(): Promise<void> {
    return new Promise((resolve) => {
      if (this.second === undefined) resolve();
      else this.second.close(() => resolve());
    });
  }
}

/** Listens with a server; resolves to the error's code on failure. */
async function listen(server: Server, host: string, port: number): Promise<string | undefined> {
  try {
    await once(
      server.listen({ host, port, backlog: LIMITS.connections, ipv6Only: host === IPV6 }),
      'listening',
    );
  } catch (error) {
    const { code, name } = error as NodeJS.ErrnoException;
    return code ?? name;
  }
  // A connection that cannot be accepted must not end the process.
  server.on('error', () => {});
  return undefined;
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}
