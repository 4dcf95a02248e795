/** The live stream of the fake server, for clients that connect before the load. */
import type { ServerResponse } from 'node:http';
import { type FakeRow, printRow } from './fake-store.ts';

/** Number of the row whose frame the fault of the stream omits. */
const STRUCK = 1000;
/** Number of rows that the stream reports before a client connected, although there were none. */
const HELD_BACK = 100;

export class FakeStream {
  readonly #clients = new Set<ServerResponse>();
  readonly #fault: string;

  constructor(fault: string) {
    this.#fault = fault;
  }

  connect(response: ServerResponse, lastId: number): void {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const connected = {
      type: 'connected',
      timestamp: new Date().toISOString(),
      epoch: 'fake',
      last_id: this.#fault === 'stream-begins-late' ? lastId + HELD_BACK : lastId,
    };
    response.write(`data: ${JSON.stringify(connected)}\n\n`);
    this.#clients.add(response);
    response.once('close', () => this.#clients.delete(response));
  }

  publish(rows: readonly FakeRow[]): void {
    if (this.#clients.size === 0 || rows.length === 0) return;
    const sent = rows.filter((row) => {
      if (this.#fault === 'stream-begins-late') return (row.id as number) > HELD_BACK;
      return !(this.#fault === 'stream-drops-one' && row.id === STRUCK);
    });
    const frames = sent.map((row) => `id: ${row.id}\ndata: {"type":"event","payload":${printRow(row)}}\n\n`);
    for (const client of this.#clients) client.write(frames.join(''));
  }
}
