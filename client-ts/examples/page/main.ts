/**
 * The newest events of a server as a list that is kept in step: however many come, the page asks once a frame at most.
 *
 * The server is `?server=` of the page's address. A page of another origin is let in by `--allow-origin`.
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
  // Whoever sent the event chose the text.
  item.textContent = `${agent_type}: ${event_type}`;
  return item;
}
