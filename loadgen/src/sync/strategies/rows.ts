/** Reads the whole state over plain HTTP, as a page without the client would. */
import { type Dispatcher, Pool } from 'undici';
import { BenchFailure } from '../../failure.ts';
import { ROWS } from './strategy.ts';

/** Number of connections that a browser opens to one server. */
const CONNECTIONS = 6;

export interface State {
  readonly epoch: string;
  readonly revision: string;
  /** Value for `If-None-Match`. */
  readonly tag: string;
}

export class RowsReader {
  readonly #pool: Pool;

  constructor(url: string) {
    this.#pool = new Pool(url, { connections: CONNECTIONS, pipelining: 1 });
  }

  /**
   * Returns the state; `null` if the state with that tag is current. Fails with `out_of_sync` for any status but 200
   * and 304.
   */
  async read(tag?: string): Promise<State | null> {
    const options: Dispatcher.RequestOptions = {
      path: `/api/snapshot/events?limit=${ROWS}`,
      method: 'GET',
      headers: tag === undefined ? {} : { 'if-none-match': tag },
    };
    const { statusCode, headers, body } = await this.#pool.request(options);
    const text = await body.text();
    if (statusCode === 304) return null;
    if (statusCode !== 200)
      throw new BenchFailure('out_of_sync', `GET ${options.path} answered ${statusCode}`, [
        text.slice(0, 200),
      ]);
    const { epoch, revision } = JSON.parse(text) as State;
    return { epoch, revision, tag: String(headers.etag) };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
