/**
 * Sends events in several pages, in NDJSON and Arrow (rule FMT-09).
 *
 * Invariants: one page is in memory at a time, and its memory is freed before the next read. Each page is a read of
 * its own, so a slow client holds no reader. The rows end with the newest id at the start of the export.
 */
import type { App } from '../app.ts';
import type { ExportPage } from '../store/read.ts';
import type { Exchange } from './exchange.ts';
import { taken } from './frames.ts';
import { exported } from './reply.ts';

/** Sends the first page, then each further page once the client has taken the previous one. */
export async function sendExport(
  app: App,
  exchange: Exchange,
  first: ExportPage,
  etag?: string,
): Promise<void> {
  const { response, head } = exchange;
  if (response.destroyed) return;
  exported(exchange, etag);
  if (head.method === 'HEAD') return;
  let { bytes, next } = first;
  const { socket } = response;
  let release = (): void => {};
  // V8 collects the memory only once 64 MB of such garbage exist.
  const free = (): void => {
    const memory = bytes.buffer as ArrayBuffer;
    if (!memory.detached) memory.transfer(0);
  };
  response.once('close', () => {
    release();
    free();
  });
  try {
    for (;;) {
      if (socket !== null) release = app.answers.hold(socket, bytes.length, bytes.buffer);
      const isTaken = bytes.length === 0 || response.write(bytes);
      if (next === undefined) break;
      if (!isTaken && !response.destroyed) await taken(response);
      if (response.destroyed) return;
      release();
      if (!isTaken) free();
      ({ bytes, next } = await app.store.exportPage(next, response));
    }
    response.end();
  } catch (error) {
    // A client that has left needs no log line.
    if (response.destroyed) return;
    // Destroying the response shows the client that the end is missing.
    response.destroy();
    app.logFailure(error, 'export failed');
  }
}
