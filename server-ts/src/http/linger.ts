/** Ends a connection without destroying its last answer: the lingering close (RFC 9112, section 9.6). */
import type { Socket } from 'node:net';
import { LIMITS } from '../contract.ts';

/** Sends a last answer, and ends the connection. */
export function lastWords(socket: Socket, bytes: Buffer): void {
  socket.write(bytes);
  linger(socket);
}

/**
 * Says that there is no more to come, and reads on for a while, so that what the client still sends does not
 * turn into a reset that destroys the answer on its way (RFC 9112, section 9.6).
 */
export function linger(socket: Socket): void {
  socket.end();
  socket.on('error', () => {});
  const end = (): void => {
    clearTimeout(timer);
    socket.destroy();
  };
  const timer = setTimeout(end, LIMITS.linger_ms);
  socket.once('end', end).once('close', () => clearTimeout(timer));
  socket.resume();
}
