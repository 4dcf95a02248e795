/** One HTTP client for each port that is used, until all are closed. */
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';

export class Clients {
  private readonly byPort = new Map<number, ApiClient>();

  of(port: number): ApiClient {
    const client = this.byPort.get(port) ?? new ApiClient(port);
    this.byPort.set(port, client);
    return client;
  }

  close(): void {
    for (const client of this.byPort.values()) client.close();
  }
}
