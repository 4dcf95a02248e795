/**
 * Accepts connections up to the limit, serves their requests one after the other, and drains them.
 *
 * Invariants: an answer that closes its connection reaches the client even while the client still sends. After the
 * last answer the server handles nothing of a connection. Answers leave in the order of requests.
 *
 * Over 250 lines because one state per connection corrects every difference between Node and the contract.
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
import { linger, sendLastAnswer } from './linger.ts';
import { Port } from './port.ts';
import { rawFailure } from './reply.ts';
import { SocketFile, type SocketProblem } from './socket.ts';

type Accept = (this: Server, socket: Socket) => void;

/** The state of one connection. */
interface Line {
  /** Requests, and last answers, that wait for earlier ones. */
  readonly waiting: (() => void)[];
  /** The request that the server is answering. */
  current: IncomingMessage | undefined;
  /** The newest request. */
  newest: IncomingMessage | undefined;
  response: ServerResponse | undefined;
  /** Whether the last answer is sent or in progress. */
  closing: boolean;
}

/** The error of Node's parser for the HTTP/2 preface. */
const HTTP2_PREFACE = 'HPE_PAUSED_H2_UPGRADE';

/** Interval of Node's check for late heads. */
const CHECK_MS = 500;

/** Requests of a connection that wait for earlier ones. The bytes of later ones stay bytes. */
const MOST_WAITING = 16;
/** Time for requests that waited on their connections, before other work of the event loop runs. */
const TURN_MS = 5;

/** Node's parser of a connection; private, but the same since Node 12. */
interface Parser {
  onIncoming?: (request: IncomingMessage, shouldKeepAlive: boolean) => number;
}
/** What `onIncoming` returns to stop the parser after this request, as for an upgrade. */
const STOP = 2;

export class Connections {
  private readonly server: Server;
  private bound: Port | undefined;
  private socketFile: SocketFile | undefined;
  /** Passes a connection of another socket to `server`. */
  private readonly pass = (socket: Socket): void => void this.server.emit('connection', socket);
  private readonly lines = new WeakMap<Socket, Line>();
  private readonly sockets = new Set<Socket>();
  /** The connections whose next request may begin, in the order in which the one before ended. */
  private readonly ready: Line[] = [];
  /** Node's own connection listeners. */
  private readonly accept: Accept[] = [];
  /** Connections that arrived before there was a handler. */
  private early: Socket[] = [];
  /** Number of connections in refusal. */
  private refusals = 0;
  private handler: RequestListener | undefined;
  /** Called for a connection on which a client tried gRPC (rule OTL-12). */
  private onGrpc: () => void = () => {};

  constructor() {
    this.server = createServer({
      requireHostHeader: false,
      // Slightly more than the limit, since the parser does not count separators and line ends.
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

  /** Binds the port; resolves to the error's code on failure. Connections wait until `serve`. */
  async listen(host: string, port: number): Promise<string | undefined> {
    const bound = await Port.bind(this.server, host, port, this.pass);
    if (typeof bound === 'string') return bound;
    this.bound = bound;
    return undefined;
  }

  /** Also listens at the path of `--socket`; resolves to the problem on failure. */
  async listenAt(path: string): Promise<SocketProblem | undefined> {
    const bound = await SocketFile.bind(path, this.pass);
    if (typeof bound === 'string') return bound;
    this.socketFile = bound;
    return undefined;
  }

  /** Starts to handle requests, and to count gRPC connections. */
  serve(handler: RequestListener, onGrpc: () => void = () => {}): void {
    this.handler = handler;
    this.onGrpc = onGrpc;
    for (const socket of this.early.splice(0)) this.server.emit('connection', socket);
  }

  /** The sockets of the port, once `listen` has bound it. */
  get port(): Port {
    return this.bound!;
  }

  /** The number of the port. */
  get portNumber(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Stops accepting, ends connections without a request, and resolves when the others have ended. */
  async drain(): Promise<void> {
    const othersClosed = [this.closeSocket(), this.bound?.closeSecond()];
    const closed = new Promise<void>((resolve) => {
      // Also ends idle connections. Waits for a request that has begun to arrive, and answers it.
      this.server.close(() => resolve());
    });
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
    await Promise.all([closed, ...othersClosed]);
  }

  /** Stops listening at `--socket` and removes its file; resolves when its connections have ended. */
  async closeSocket(): Promise<void> {
    const file = this.socketFile;
    this.socketFile = undefined;
    await file?.remove();
  }

  /** Ends the remaining connections. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Passes only connections within the limit to Node's own listener (rule HTT-12). */
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
      // Node calls this after an answer that closes the connection.
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
      this.attach(socket);
    });
  }

  /**
   * Attaches a parser of Node. It parses a whole read of up to 64 KiB at once, which can hold a thousand requests. So it
   * is stopped once some requests wait, and `ignoreUpgrade` has the rest parsed in its turn.
   */
  private attach(socket: Socket): void {
    for (const listener of this.accept) listener.call(this.server, socket);
    const { parser } = socket as Socket & { readonly parser?: Parser | null };
    const onIncoming = parser?.onIncoming;
    if (!parser || onIncoming === undefined) return;
    const line = this.lineOf(socket);
    parser.onIncoming = (request, shouldKeepAlive) => {
      if (line.waiting.length < MOST_WAITING) return onIncoming(request, shouldKeepAlive);
      (request as IncomingMessage & { upgrade: boolean }).upgrade = true;
      return STOP;
    };
  }

  /**
   * Refuses a connection. Above a number of refusals it closes the connection at once, so that refusals occupy no
   * descriptors.
   */
  private refuseConnection(socket: Socket): void {
    socket.on('error', () => {});
    const answer = rawFailure('overloaded');
    if (this.refusals >= PLAN.refusals) {
      // The answer fits the buffer of a new socket, so it is on its way before the socket closes.
      socket.write(answer);
      socket.destroy();
      return;
    }
    this.refusals++;
    socket.once('close', () => this.refusals--);
    sendLastAnswer(socket, answer);
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
        // An answer that began earlier may have announced keep-alive.
        if (!this.server.listening) socket.destroySoon();
        else if (line.waiting.length > 0) this.queue(line);
      });
      this.handler?.(request, response);
    };
    if (isFree(line)) begin();
    else line.waiting.push(begin);
  }

  /** Begins the next request of a connection in its turn, so that many requests of one client delay no other client. */
  private queue(line: Line): void {
    this.ready.push(line);
    if (this.ready.length === 1) setImmediate(() => this.turn());
  }

  private turn(): void {
    const end = performance.now() + TURN_MS;
    let count = 0;
    while (count < this.ready.length && performance.now() < end) this.ready[count++]!.waiting.shift()?.();
    this.ready.splice(0, count);
    if (this.ready.length > 0) setImmediate(() => this.turn());
  }

  /**
   * Parses the request again without `Upgrade` (rule HTT-06). Node's parser stops after a request for an upgrade, and
   * the following bytes are lost unless the application takes over the socket. `attach` stops it in the same way.
   */
  private ignoreUpgrade(request: IncomingMessage, socket: Socket, rest: Buffer): void {
    const line = this.lineOf(socket);
    const ignore = (): void => {};
    // Node has removed its own listener, for which an answer in several parts waits.
    const drain = (): void => void line.response?.emit('drain');
    const begin = (): void => {
      if (socket.readableEnded) {
        // The client sends nothing more, and the parser would miss it.
        socket.end();
        return;
      }
      socket.off('error', ignore).off('drain', drain);
      socket.unshift(Buffer.concat([headWithoutUpgrade(request), rest]));
      this.attach(socket);
    };
    // Until `begin` runs, Node has no listener on this socket.
    socket.on('error', ignore).on('drain', drain);
    if (line.closing) socket.resume();
    else if (isFree(line)) begin();
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
    // Errors after the last answer are ignored.
    if (response?.headersSent && !response.shouldKeepAlive) return;
    this.lastAnswer(socket, error.code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'bad_request');
  }

  /** Sends the last answer: after complete requests, and in place of a request whose own body broke (rule HTT-08). */
  private lastAnswer(socket: Socket, code: ErrorCode): void {
    const line = this.lineOf(socket);
    const { current, newest } = line;
    if (current !== newest && !newest?.complete) line.waiting.pop();
    if (current?.complete || (current === undefined && line.waiting.length > 0))
      line.waiting.push(() => this.endWith(socket, rawFailure(code)));
    else this.endWith(socket, rawFailure(code));
  }

  private endWith(socket: Socket, bytes: Buffer): void {
    const line = this.lineOf(socket);
    if (line.closing) return;
    line.closing = true;
    line.waiting.length = 0;
    line.current?.on('error', () => {}).resume();
    sendLastAnswer(socket, bytes);
  }
}

/** Returns whether a request of the connection may begin at once. */
function isFree({ current, waiting }: Line): boolean {
  return current === undefined && waiting.length === 0;
}

/** Rebuilds the head with its original length and number of headers, so that the head limits still hold. */
function headWithoutUpgrade({ method, url, httpVersion, rawHeaders }: IncomingMessage): Buffer {
  let head = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    head += `${name.toLowerCase() === 'upgrade' ? 'x-grade' : name}: ${rawHeaders[at + 1]}\r\n`;
  }
  return Buffer.from(`${head}\r\n`, 'latin1');
}
