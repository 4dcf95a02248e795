/** Ends a connection without destroying its last answer: the lingering close (RFC 9112, section 9.6). */
import type { Socket } from 'node:net';
import { TUNING } from '../contract.ts';

/** Sends a last answer, and ends the connection. */
export function sendLastAnswer(socket: Socket, bytes: Buffer): void {
  socket.write(bytes);
  linger(socket);
}

/**
 * Closes the sending side, then reads for a while. Otherwise bytes that the client still sends cause a reset, which
 * destroys the answer in flight (RFC 9112, section 9.6).
 */
export function linger(socket: Socket): void {
  socket.end();
  socket.on('error', () => {});
  const end = (): void => {
    clearTimeout(timer);
    socket.destroy();
  };
  const timer = setTimeout(end, TUNING.linger_ms);
  socket.once('end', end).once('close', () => clearTimeout(timer));
  socket.resume();
}
