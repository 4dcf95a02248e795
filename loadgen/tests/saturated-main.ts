/**
 * The autocannon generator as one that is saturated: it has used a whole core and more, whatever the server and the
 * machine's other load.
 */
import { sendByAutocannon } from '../src/load/drivers/autocannon-process.ts';
import { type Load, serveGenerator } from '../src/load/drivers/generator-process.ts';

/** Of a core, while requests were sent. */
const SHARE = 1.2;

/** What is used behind the last answer counts as processor time, and not as time in which requests were sent. */
async function send(load: Load) {
  const [begun_ms, begun] = [performance.now(), process.cpuUsage()];
  const failed = await sendByAutocannon(load);
  const needed_us = (performance.now() - begun_ms) * 1000 * SHARE;
  const used_us = (): number => {
    const { user, system } = process.cpuUsage(begun);
    return user + system;
  };
  while (used_us() < needed_us);
  return failed;
}

serveGenerator(send);
