/** Reads the `event_id` of every row of a server's database, page by page like any client. */
import { request } from '../request.ts';

const PAGE = 1_000;

export async function eventIds(baseUrl: string): Promise<(string | null)[]> {
  const ids: (string | null)[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const response = await request(`${baseUrl}/api/events?limit=${PAGE}&after=${after}`);
    if (!response.ok) throw new Error(`reading the rows: ${response.status} ${await response.text()}`);
    const page = (await response.json()) as Page;
    ids.push(...page.events.map(({ event_id }) => event_id));
    after = page.next;
  }
  return ids;
}

interface Page {
  readonly events: readonly { readonly event_id: string | null }[];
  readonly next: number | null;
}
