/** Tests `--store jetstream`: servers that share a stream of NATS. */
import type { ScenarioFile } from '../../src/scenario.ts';
import {
  brokenMessages,
  deletedAttachments,
  killedUploads,
  manyAttachments,
  sharedAttachments,
} from './attachments.ts';
import { deletions, largeSession, retention, unknownChanges } from './changes.ts';
import { equalCopies, messages, oldDuplicate, waits } from './copies.ts';
import { anotherStream, killedUnderLoad, natsAway } from './faults.ts';
import { cutOffLeader, quorumLost } from './quorum.ts';
import { flags, otherDatabases, token, unsupported } from './refusals.ts';
import { readOwnWrites } from './sequences.ts';
import { trimmed } from './trimmed.ts';

export const CLUSTER: ScenarioFile = {
  name: 'cluster',
  about: 'servers share a stream of NATS, and each keeps a copy of it',
  scenarios: [
    {
      name: 'both servers have equal copies, also after a kill and on a new database',
      rules: ['CLU-02', 'CLU-04', 'CLU-05', 'CLU-07', 'PRO-08'],
      uses: 'each',
      run: equalCopies,
    },
    {
      name: 'an event is one message, and other messages are skipped',
      rules: ['CLU-03', 'CLU-05'],
      uses: 'each',
      run: messages,
    },
    {
      name: 'an event_id is known after the window of the stream',
      rules: ['CLU-02', 'CLU-04', 'CLU-05', 'EVT-13'],
      uses: 'each',
      run: oldDuplicate,
    },
    {
      name: 'hooks start and end waits on every server',
      rules: ['CLU-03', 'WAI-02', 'HOK-04'],
      uses: 'each',
      run: waits,
    },
    {
      name: 'kills under load lose and repeat nothing',
      rules: ['CLU-04', 'CLU-05'],
      faults: ['F1'],
      uses: 'each',
      run: killedUnderLoad,
    },
    {
      name: 'reads continue without NATS, and ingest after its return',
      rules: ['CLU-02', 'CLU-04', 'CLU-06', 'CLU-07'],
      uses: 'each',
      run: natsAway,
    },
    {
      name: 'without a majority of NATS reads continue, and ingest after its return',
      rules: ['CLU-02', 'CLU-04', 'CLU-06'],
      uses: 'each',
      waits: true,
      run: quorumLost,
    },
    {
      name: 'a leader of NATS without a majority makes no event and no cursor unknown',
      rules: ['CLU-09', 'CLU-15', 'STR-04'],
      uses: 'each',
      waits: true,
      run: cutOffLeader,
    },
    {
      name: 'a stream that was created again changes no copy',
      rules: ['CLU-06', 'CLU-07'],
      uses: 'each',
      run: anotherStream,
    },
    {
      name: 'a client that moves reads what it wrote, or learns that it cannot yet',
      rules: ['CLU-09', 'CLU-10', 'CLU-07', 'STR-03', 'STR-04'],
      uses: 'each',
      run: readOwnWrites,
    },
    {
      name: 'deletions are the same on every server, also on a new database',
      rules: ['CLU-11', 'CLU-05', 'RET-04', 'RET-05', 'EVT-13'],
      faults: ['F1'],
      uses: 'each',
      run: deletions,
    },
    {
      name: 'a large session is deleted in steps',
      rules: ['CLU-11', 'RET-05'],
      uses: 'each',
      run: largeSession,
    },
    {
      name: 'the bounds of retention belong to the stream',
      rules: ['CLU-12', 'CLU-11', 'RET-01', 'RET-03', 'RET-06'],
      faults: ['F1'],
      uses: 'each',
      run: retention,
    },
    {
      name: 'unknown and broken changes are skipped',
      rules: ['CLU-11'],
      uses: 'each',
      run: unknownChanges,
    },
    {
      name: 'a server starts from a backup after the stream lost its first messages',
      rules: ['CLU-13', 'CLU-06', 'CLU-10', 'CLU-16', 'BAK-07', 'PRO-08'],
      uses: 'each',
      run: trimmed,
    },
    {
      name: 'an attachment is on every server, with its bytes',
      rules: ['CLU-14', 'CLU-15', 'CLU-16', 'ATT-01', 'ATT-04'],
      uses: 'each',
      run: sharedAttachments,
    },
    {
      name: 'attach messages that no request could make are skipped',
      rules: ['CLU-14', 'CLU-05', 'ATT-02', 'ATT-03'],
      attacks: ['X5'],
      uses: 'each',
      run: brokenMessages,
    },
    {
      name: 'a new copy gets a thousand attachments without a pause',
      rules: ['CLU-16', 'CLU-07'],
      uses: 'each',
      run: manyAttachments,
    },
    {
      name: 'attachments of deleted events leave every server and the bucket',
      rules: ['CLU-17', 'CLU-16', 'RET-06'],
      faults: ['F1'],
      uses: 'each',
      run: deletedAttachments,
    },
    {
      name: 'kills during uploads lose no acknowledged attachment',
      rules: ['CLU-14', 'CLU-15', 'CLU-16'],
      faults: ['F1'],
      uses: 'each',
      run: killedUploads,
    },
    {
      name: 'an event above the size of a message is refused',
      rules: ['CLU-08'],
      uses: 'each',
      run: unsupported,
    },
    {
      name: 'databases of something else are refused',
      rules: ['CLU-02'],
      uses: 'each',
      run: otherDatabases,
    },
    {
      name: 'a server of NATS with a token',
      rules: ['CLU-01', 'CLU-02'],
      uses: 'each',
      run: token,
    },
    {
      name: 'wrong flags of a cluster are refused',
      rules: ['CLU-01', 'PRO-03'],
      uses: 'each',
      run: flags,
    },
  ],
};
