/**
 * Shows the newest events of a server as a list that stays in sync. At any event rate the page sends at most one
 * request per frame.
 *
 * The query `?server=` of the page's address names the server. The server's `--allow-origin` admits a page of another
 * origin.
 */
import { type EventRow, Sync, Topics } from '@twin-ingest/client';

const SHOWN = 20;
const baseUrl = new URLSearchParams(location.search).get('server') ?? 'http://127.0.0.1:3141';
const connection = document.querySelector('#connection')!;
const list = document.querySelector('#events')!;
let rows: readonly EventRow[] = [];

const topics = new Topics({
  baseUrl,
  topics: ['events'],
  onState(state) {
    connection.textContent = state;
  },
});

const sync = new Sync({
  ...topics.of('events', { limit: SHOWN, deltas: true }),
  apply({ data }, isReset) {
    rows = (isReset ? data.events : [...data.events, ...rows]).slice(0, SHOWN);
    list.replaceChildren(...rows.map(itemOf));
  },
});
await sync.start();

function itemOf({ id, agent_type, event_type }: EventRow): HTMLElement {
  const item = document.createElement('li');
  item.value = id;
  // The text comes from an untrusted sender.
  item.textContent = `${agent_type}: ${event_type}`;
  return item;
}
