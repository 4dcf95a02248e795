/** Writes the table of addresses, and what to try with them. */
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import type { Board } from './board.ts';

/** Returns the text that `pnpm cluster` prints when all processes run. */
export function addressesOf({ nats, members }: Board): string {
  const rows = [
    ['name', 'program', 'address', 'pid'],
    ...nats.nodes.map(({ place, url, pid }) => [place.name, 'NATS', url, String(pid)]),
    ...members.map(({ name, target, port, pid }) => [name, TARGETS[target].label, urlOf(port), String(pid)]),
  ];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
  const first = members[0]!;
  const last = members.at(-1)!;
  const body = `'{"session_id":"s","agent_type":"a","event_type":"tool_use"}'`;
  const json = `-H 'content-type: application/json'`;
  return `${lines.join('\n')}

Try:
  open ${urlOf(last.port)}/ in a browser
  curl ${urlOf(first.port)}/api/events ${json} -d ${body}
  curl ${urlOf(last.port)}/api/health   the member "cluster" shows how far the copy is
  kill -9 ${nats.nodes[0]!.pid}   and send again: another node of NATS leads the stream after some seconds

Ctrl-C ends all of them.
`;
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
