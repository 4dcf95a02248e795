/** Injects faults of the system below a running server. `pnpm test:faults` runs these and all others with `faults`. */
import type { ScenarioFile } from '../../src/scenario.ts';
import { backUpToFullDisk, killCommands } from './commands.ts';
import { failedCheckpoint, failedSync, failedWrite, fullForAWhile, randomFaults, slowDisk } from './disk.ts';
import { killAfterEachWrite } from './every-write.ts';
import { readOnlyDisk, replaced, truncated } from './files.ts';
import { failedLastCheckpoint, heldLastCheckpoint } from './last-checkpoint.ts';
import { busyProcessor, retryStorm, takeDescriptors, terminate } from './load.ts';
import { losePower } from './power-loss.ts';
import { killWhileSealing } from './sealing.ts';
import { clockJumps, clockOutside, stopped } from './time.ts';
import { killAtWrites } from './writes.ts';

export const FAULTS: ScenarioFile = {
  name: 'faults',
  about: 'faults of the system below a server',
  scenarios: [
    {
      name: 'a kill at a write loses nothing that was acknowledged',
      rules: ['STO-03', 'STO-10', 'STO-12', 'EVT-13', 'ATT-09', 'RET-04', 'BAK-07'],
      faults: ['F2'],
      uses: 'each',
      run: killAtWrites,
    },
    {
      name: 'a kill after any write loses nothing that was acknowledged',
      rules: ['STO-03', 'STO-04', 'STO-12', 'EVT-13'],
      faults: ['F2'],
      uses: 'each',
      run: killAfterEachWrite,
    },
    {
      name: 'a kill after any write of a sealing loses no metadata, and the other server continues',
      rules: ['STO-03', 'STO-15'],
      faults: ['F2'],
      uses: 'each',
      run: killWhileSealing,
    },
    {
      name: 'a command that is killed at a write runs to its end the next time',
      rules: ['BAK-01', 'BAK-02', 'BAK-03', 'BAK-05', 'ATT-11'],
      faults: ['F2'],
      attacks: ['X2'],
      uses: 'each',
      run: killCommands,
    },
    {
      name: 'a backup that fails for want of space leaves nothing',
      rules: ['BAK-03', 'BAK-07', 'STO-05'],
      faults: ['F6'],
      attacks: ['X2'],
      uses: 'each',
      run: backUpToFullDisk,
    },
    {
      name: 'power loss keeps what the durability promises',
      rules: ['STO-01', 'STO-03', 'STO-04', 'STO-12'],
      faults: ['F2', 'F3'],
      uses: 'each',
      run: losePower,
    },
    {
      name: 'a failed sync ends the server without a further acknowledgement',
      rules: ['STO-06', 'STO-03'],
      faults: ['F4'],
      uses: 'each',
      run: failedSync,
    },
    {
      name: 'a failed checkpoint ends the server with 74',
      rules: ['STO-06', 'STO-04'],
      faults: ['F5'],
      uses: 'each',
      run: failedCheckpoint,
    },
    {
      name: 'a last checkpoint that fails ends the server with 74',
      rules: ['STO-06', 'PRO-07'],
      faults: ['F5'],
      uses: 'each',
      run: failedLastCheckpoint,
    },
    {
      name: 'a last checkpoint that a reader holds ends the server with 0',
      rules: ['STO-04', 'PRO-07'],
      faults: ['F10'],
      uses: 'each',
      run: heldLastCheckpoint,
    },
    {
      name: 'a failed write ends the server without a further acknowledgement',
      rules: ['STO-06', 'STO-03', 'ING-08'],
      faults: ['F5'],
      uses: 'each',
      run: failedWrite,
    },
    {
      name: 'writes that fail for want of space pass',
      rules: ['STO-05', 'STO-03'],
      faults: ['F6'],
      uses: 'each',
      run: fullForAWhile,
    },
    {
      name: 'a slow disk delays answers and loses nothing',
      rules: ['STO-03', 'HEA-02'],
      faults: ['F21'],
      uses: 'each',
      run: slowDisk,
    },
    {
      name: 'random failures of system calls lose nothing that was acknowledged',
      rules: ['STO-03', 'STO-05', 'STO-06'],
      faults: ['F24'],
      uses: 'each',
      run: randomFaults,
    },
    {
      name: 'a database that another file replaces is lost',
      rules: ['STO-06'],
      faults: ['F12'],
      uses: 'each',
      run: replaced,
    },
    {
      name: 'a start refuses a file that lost its end',
      rules: ['PRO-06'],
      faults: ['F11'],
      uses: 'each',
      run: truncated,
    },
    {
      name: 'a start refuses a read-only disk',
      rules: ['PRO-06'],
      faults: ['F8'],
      uses: 'each',
      run: readOnlyDisk,
    },
    {
      name: 'a process that is stopped and continued goes on',
      rules: ['STO-03', 'HEA-02'],
      faults: ['F14'],
      uses: 'each',
      waits: true,
      run: stopped,
    },
    {
      name: 'jumps of the clock change neither ids nor duplicates',
      rules: ['EVT-13', 'ING-07', 'GET-05'],
      faults: ['F19'],
      uses: 'each',
      run: clockJumps,
    },
    {
      name: 'a server does not start with a clock before 2000 or after 9999, and keeps the last right time',
      rules: ['PRO-22', 'STO-08'],
      faults: ['F19'],
      attacks: ['X12'],
      uses: 'each',
      run: clockOutside,
    },
    {
      name: 'SIGTERM under load exits 0 and loses nothing',
      rules: ['PRO-07', 'STO-03', 'STO-04'],
      faults: ['F20'],
      uses: 'each',
      run: terminate,
    },
    {
      name: 'a limit of descriptors that falls refuses connections and nothing else',
      rules: ['HTT-12'],
      faults: ['F18'],
      uses: 'each',
      run: takeDescriptors,
    },
    {
      name: 'a busy processor delays answers and loses nothing',
      rules: ['HEA-02', 'STO-03'],
      faults: ['F22'],
      uses: 'each',
      run: busyProcessor,
    },
    {
      name: 'repeated and cut requests store each event once',
      rules: ['EVT-13', 'STO-03'],
      faults: ['F23'],
      uses: 'each',
      run: retryStorm,
    },
  ],
};
