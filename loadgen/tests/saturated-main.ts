/**
 * The autocannon generator, but always saturated: it uses more than a whole core, independent of the server and of
 * other load.
 */
import { sendByAutocannon } from '../src/load/drivers/autocannon-process.ts';
import { serveGenerator } from '../src/load/drivers/node-generator.ts';

/** CPU time as a share of a core while requests are sent. */
const SHARE = 1.2;

/** CPU time after the last answer counts as used, but its duration does not count as time of sending. */
serveGenerator(async (load) => {
  const [begun_ms, begun] = [performance.now(), process.cpuUsage()];
  const failed = await sendByAutocannon(load);
  const needed_us = (performance.now() - begun_ms) * 1000 * SHARE;
  while (process.cpuUsage(begun).user < needed_us);
  return failed;
});
