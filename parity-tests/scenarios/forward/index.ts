/** Tests `--forward`: a server sends what it stores to another one. */
import type { ScenarioFile } from '../../src/scenario.ts';
import { certificates, flags, token } from './access.ts';
import { refused, repeated, retryAfter, silentReceiver } from './answers.ts';
import { cycle, deletedEvents, lostEvents, restored, smallerLimits } from './bounds.ts';
import { receiverAway, receiverKilled, senderKilled } from './crashes.ts';
import { deepestHook, everyField, sentToBoth } from './fields.ts';

export const FORWARD: ScenarioFile = {
  name: 'forward',
  about: 'a server sends what it stores to another one',
  scenarios: [
    {
      name: 'every field arrives',
      rules: ['FWD-01', 'FWD-04', 'FWD-05', 'FWD-09', 'MET-02'],
      uses: 'each',
      run: everyField,
    },
    {
      name: 'a hook nested too deeply for a batch is refused alone',
      rules: ['FWD-05', 'FWD-06'],
      uses: 'each',
      run: deepestHook,
    },
    {
      name: 'events that both servers got directly are stored once at each',
      rules: ['FWD-03'],
      uses: 'each',
      run: sentToBoth,
    },
    {
      name: 'a receiver that is killed under load gets every event once',
      rules: ['FWD-03', 'FWD-07'],
      faults: ['F1'],
      uses: 'each',
      run: receiverKilled,
    },
    {
      name: 'a sender that is killed under load sends every event once, also as the other server',
      rules: ['FWD-02', 'FWD-03', 'FWD-04', 'PRO-08'],
      faults: ['F1'],
      uses: 'each',
      run: senderKilled,
    },
    {
      name: 'a receiver that was away gets the backlog',
      rules: ['FWD-02', 'FWD-07', 'FWD-09'],
      uses: 'each',
      run: receiverAway,
    },
    {
      name: 'an answer that acknowledges nothing repeats its batch',
      rules: ['FWD-07', 'FWD-01'],
      uses: 'each',
      waits: true,
      run: repeated,
    },
    {
      name: 'a sender waits as long as Retry-After says',
      rules: ['FWD-07'],
      uses: 'each',
      waits: true,
      run: retryAfter,
    },
    {
      name: 'refused events are skipped and counted',
      rules: ['FWD-06', 'FWD-09'],
      uses: 'each',
      run: refused,
    },
    {
      name: 'a receiver with smaller limits gets smaller batches',
      rules: ['FWD-06', 'BOD-04', 'ING-09'],
      uses: 'each',
      run: smallerLimits,
    },
    {
      name: 'a stop does not wait for a receiver',
      rules: ['PRO-07', 'FWD-07'],
      uses: 'each',
      run: silentReceiver,
    },
    {
      name: 'retention does not wait, and its losses are counted',
      rules: ['FWD-08', 'FWD-09'],
      uses: 'each',
      run: lostEvents,
    },
    {
      name: 'deletions by clients stay at the sender',
      rules: ['FWD-05', 'FWD-08'],
      uses: 'each',
      run: deletedEvents,
    },
    {
      name: 'a cycle of servers comes to rest',
      rules: ['FWD-10'],
      uses: 'each',
      run: cycle,
    },
    {
      name: 'a restored file repeats no event',
      rules: ['FWD-02', 'FWD-04', 'BAK-02'],
      uses: 'each',
      run: restored,
    },
    {
      name: 'a receiver with a token gets it, and no log does',
      rules: ['FWD-01', 'PRO-01'],
      uses: 'each',
      run: token,
    },
    {
      name: 'a receiver of https needs a certificate of a trusted authority',
      rules: ['FWD-01', 'NOT-01'],
      uses: 'each',
      waits: true,
      run: certificates,
    },
    {
      name: 'wrong flags of forwarding are refused',
      rules: ['FWD-01', 'PRO-03'],
      uses: 'each',
      run: flags,
    },
  ],
};
