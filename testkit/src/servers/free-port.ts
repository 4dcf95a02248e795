/** Finds free ports of loopback, for programs that cannot choose one themselves. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Returns ports that differ, and that nothing listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  for (const server of servers) server.close();
  await Promise.all(servers.map((server) => once(server, 'close')));
  return ports;
}
