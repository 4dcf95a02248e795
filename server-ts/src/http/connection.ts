/**
 * Accepts connections up to the limit, serves their requests one after the other, and drains them.
 *
 * What must stay true: an answer that closes its connection reaches the client even while the client still
 * sends; nothing of a connection is handled after its last answer; answers leave in the order of requests.
 * Over 250 lines because one state a connection corrects all that Node does differently from the contract.
 */
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { LIMITS } from '../contract.ts';
import { PLAN } from '../descriptors.ts';
import type { ErrorCode } from '../error.ts';
import { lastWords, linger } from './linger.ts';
import { rawFailure } from './reply.ts';
import { SocketFile, type SocketProblem } from './socket.ts';

type Accept = (this: Server, socket: Socket) => void;

/** What is going on on one connection. */
interface Line {
  /** Requests, and last answers, that wait for those before them. */
  readonly waiting: (() => void)[];
  /** The request that is being answered. */
  current: IncomingMessage | undefined;
  /** The request that came last. */
  newest: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** The last answer was given, or is being given. */
  closing: boolean;
}

/** The error of Node's parser for the preface of HTTP/2. */
const HTTP2_PREFACE = 'HPE_PAUSED_H2_UPGRADE';

/** How often Node looks for heads that are late. */
const CHECK_MS = 500;

export class Connections {
  private readonly server: Server;
  /** The socket of `--socket`; `server` serves its connections. */
  private socketFile: SocketFile | undefined;
  private readonly lines = new WeakMap<Socket, Line>();
  private readonly sockets = new Set<Socket>();
  /** Node's own listeners for connections. */
  private readonly accept: Accept[] = [];
  /** Connections that came before there was a handler. */
  private early: Socket[] = [];
  /** Connections that are being refused. */
  private refusals = 0;
  private handler: RequestListener | undefined;
  /** Called for a connection that gRPC was tried on (rule OTL-12). */
  private onGrpc: () => void = () => {};

  constructor() {
    this.server = createServer({
      requireHostHeader: false,
      // Somewhat more than the limit, since the parser counts without separators and line ends.
      maxHeaderSize: LIMITS.head_hard_bytes + 1024,
      headersTimeout: LIMITS.head_timeout_ms,
      requestTimeout: 0,
      keepAliveTimeout: LIMITS.keep_alive_idle_ms,
      keepAliveTimeoutBuffer: 0,
      connectionsCheckingInterval: CHECK_MS,
      noDelay: true,
    } as Parameters<typeof createServer>[0]);
    this.server.maxHeadersCount = 0;
    this.server.timeout = 0;
    const take: RequestListener = (request, response) => this.take(request, response);
    this.server.on('request', take).on('checkContinue', take).on('checkExpectation', take);
    this.server.on('connect', (_request, socket) => {
      this.lastAnswer(socket.on('error', () => {}) as Socket, 'bad_request');
    });
    this.server.on('upgrade', (request, socket, rest) => this.ignoreUpgrade(request, socket as Socket, rest));
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      this.parseError(error, socket as Socket);
    });
    this.limitConnections();
  }

  /** Takes the address; the error's code where that fails. Connections wait until `serve`. */
  listen(host: string, port: number): Promise<string | undefined> {
    return new Promise((resolve) => {
      const onError = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.name);
      this.server.once('error', onError);
      this.server.listen({ host, port, backlog: LIMITS.connections }, () => {
        this.server.off('error', onError);
        resolve(undefined);
      });
    });
  }

  /** Listens at the path of `--socket` as well; resolves to the problem where that fails. */
  async listenAt(path: string): Promise<SocketProblem | undefined> {
    const bound = await SocketFile.bind(path, (socket) => void this.server.emit('connection', socket));
    if (typeof bound === 'string') return bound;
    this.socketFile = bound;
    return undefined;
  }

  /** From now on requests are handled, and connections of gRPC are counted. */
  serve(handler: RequestListener, onGrpc: () => void = () => {}): void {
    this.handler = handler;
    this.onGrpc = onGrpc;
    for (const socket of this.early.splice(0)) this.server.emit('connection', socket);
  }

  get address(): AddressInfo {
    return this.server.address() as AddressInfo;
  }

  /** Stops accepting, ends connections without a request, and resolves when the others have ended. */
  async drain(): Promise<void> {
    const socketsClosed = this.closeSocket();
    const closed = new Promise<void>((resolve) => {
      // Ends idle connections as well; a request that has begun to come in is waited for and answered.
      this.server.close(() => resolve());
    });
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    await Promise.all([closed, socketsClosed]);
  }

  /** Stops listening at `--socket` and removes its file; resolves when its connections have ended. */
  async closeSocket(): Promise<void> {
    const file = this.socketFile;
    this.socketFile = undefined;
    await file?.remove();
  }

  /** Ends what is left. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Node's own listener is only told of connections that there is room for (rule HTT-12). */
  private limitConnections(): void {
    const { server, sockets } = this;
    this.accept.push(...(server.listeners('connection') as Accept[]));
    server.removeAllListeners('connection');
    server.on('connection', (socket: Socket) => {
      if (sockets.size + this.early.length >= PLAN.connections) {
        this.refuseConnection(socket);
        return;
      }
      if (this.handler === undefined) {
        this.early.push(socket);
        return;
      }
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
      const destroySoon = socket.destroySoon.bind(socket);
      // Called by Node behind an answer that closes.
      socket.destroySoon = () => {
        const line = this.lineOf(socket);
        line.closing = true;
        const { current } = line;
        if (current === undefined || current.complete) {
          destroySoon();
          return;
        }
        current.on('error', () => {}).resume();
        linger(socket);
      };
      for (const listener of this.accept) listener.call(server, socket);
    });
  }

  /** Where many are refused at once they are closed without a wait, so that they take up no descriptors. */
  private refuseConnection(socket: Socket): void {
    socket.on('error', () => {});
    const answer = rawFailure('overloaded');
    if (this.refusals >= PLAN.refusals) {
      // The buffer of a new socket has room for it, so that it is on its way before the socket is closed.
      socket.write(answer);
      socket.destroy();
      return;
    }
    this.refusals++;
    socket.once('close', () => this.refusals--);
    lastWords(socket, answer);
  }

  private lineOf(socket: Socket): Line {
    let line = this.lines.get(socket);
    if (line === undefined) {
      line = { waiting: [], current: undefined, newest: undefined, response: undefined, closing: false };
      this.lines.set(socket, line);
    }
    return line;
  }

  private take(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const line = this.lineOf(socket);
    if (line.closing) return;
    line.newest = request;
    const begin = (): void => {
      if (line.closing) return;
      line.current = request;
      line.response = response;
      response.once('close', () => {
        line.current = undefined;
        // The head of an answer that began before may have promised to keep the connection.
        if (!this.server.listening) socket.destroySoon();
        else line.waiting.shift()?.();
      });
      this.handler?.(request, response);
    };
    if (line.current === undefined) begin();
    else line.waiting.push(begin);
  }

  /**
   * Reads the request once more without `Upgrade` (rule HTT-06). Node's parser stops behind a request that asks for
   * an upgrade, and what follows in the same bytes is lost unless the application takes the socket over.
   */
  private ignoreUpgrade(request: IncomingMessage, socket: Socket, rest: Buffer): void {
    const line = this.lineOf(socket);
    const ignore = (): void => {};
    const begin = (): void => {
      socket.off('error', ignore);
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), rest]));
      for (const listener of this.accept) listener.call(this.server, socket);
    };
    // Until then Node listens to nothing of this socket.
    socket.on('error', ignore);
    if (line.closing) socket.resume();
    else if (line.current === undefined) begin();
    else line.waiting.push(begin);
  }

  private parseError(error: NodeJS.ErrnoException, socket: Socket): void {
    if (error.code === 'ECONNRESET' || error.code === 'ERR_HTTP_REQUEST_TIMEOUT' || !socket.writable) {
      socket.destroy();
      return;
    }
    const { response, newest } = this.lineOf(socket);
    if (error.code === HTTP2_PREFACE && newest === undefined) {
      this.onGrpc();
      socket.destroy();
      return;
    }
    // What is broken behind the last answer is nobody's any more.
    if (response?.headersSent && !response.shouldKeepAlive) return;
    this.lastAnswer(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'bad_request');
  }

  /** Behind requests that have come whole, and in place of one whose own body broke (rule HTT-08). */
  private lastAnswer(socket: Socket, code: ErrorCode): void {
    const line = this.lineOf(socket);
    const { current, newest } = line;
    if (current !== newest && !newest?.complete) line.waiting.pop();
    if (current?.complete) line.waiting.push(() => this.endWith(socket, rawFailure(code)));
    else this.endWith(socket, rawFailure(code));
  }

  private endWith(socket: Socket, bytes: Buffer): void {
    const line = this.lineOf(socket);
    if (line.closing) return;
    line.closing = true;
    line.waiting.length = 0;
    line.current?.on('error', () => {}).resume();
    lastWords(socket, bytes);
  }
}

/** As long and with as many headers as it came, so that the limits of heads hold. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    head += `${name.toLowerCase() === 'upgrade' ? 'x-grade' : name}: ${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
