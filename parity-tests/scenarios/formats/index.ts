/**
 * The formats of bodies and answers (rules FMT-01 to FMT-09): hostile bodies, equal rows, equal answers, exports.
 */
import type { ScenarioFile } from '../../src/scenario.ts';
import { boundedMemory, cutConnections, exactEnd, failures, othersServed } from './exports.ts';
import { inTurn } from './in-turn.ts';
import { largeBodies, ordinaryBodies, ordinaryMemory } from './malformed.ts';
import { refusedItems } from './refused-items.ts';
import { canonicalMaps, sameRows } from './same-rows.ts';
import { servedMeanwhile } from './served-meanwhile.ts';

export const FORMATS: ScenarioFile = {
  name: 'formats',
  about: 'formats of bodies and answers',
  scenarios: [
    {
      name: 'malformed bodies of up to 1 MiB are answered within 50 ms',
      rules: ['FMT-02', 'FMT-03', 'FMT-04', 'FMT-06', 'BOD-01'],
      uses: 'each',
      measures: true,
      run: ordinaryBodies,
    },
    {
      name: 'a malformed body of up to 1 MiB grows memory by at most 10 MB',
      rules: ['FMT-02', 'FMT-03', 'FMT-04', 'FMT-06', 'BOD-01'],
      uses: 'each',
      measures: true,
      run: ordinaryMemory,
    },
    {
      name: 'malformed bodies of 8 MiB take little processor time and memory',
      rules: ['FMT-02', 'FMT-03', 'FMT-04', 'FMT-06', 'BOD-01', 'ING-09'],
      uses: 'each',
      measures: true,
      run: largeBodies,
    },
    {
      name: 'a malformed binary body of 8 MiB delays no other request by more than 50 ms of processor time',
      rules: ['FMT-03'],
      uses: 'each',
      measures: true,
      run: servedMeanwhile,
    },
    {
      name: 'the reason of a refused item does not depend on the number of items before it',
      rules: ['FMT-02', 'FMT-04', 'ING-02', 'LAW'],
      attacks: ['X13'],
      uses: 'each',
      run: refusedItems,
    },
    {
      name: 'the same events leave the same rows in every format and on both servers',
      rules: ['FMT-01', 'FMT-05', 'FMT-06', 'MET-01', 'LAW'],
      uses: 'both',
      run: sameRows,
    },
    {
      name: 'metadata that is a map of MessagePack becomes canonical JSON text',
      rules: ['FMT-05'],
      uses: 'both',
      run: canonicalMaps,
    },
    {
      name: 'servers that alternate on a file give equal answers in every format',
      rules: ['FMT-08', 'FMT-09', 'LAW'],
      uses: 'both',
      run: inTurn,
    },
    {
      name: 'an export of twice as many rows takes no more memory, and neither does a slow reader',
      rules: ['FMT-09'],
      uses: 'each',
      measures: true,
      run: boundedMemory,
    },
    {
      name: 'an export ends with the newest event at its start, and a paused export blocks no other request',
      rules: ['FMT-09'],
      uses: 'each',
      run: exactEnd,
    },
    {
      name: 'exports at full speed leave time for other requests',
      rules: ['FMT-09', 'GET-10'],
      uses: 'each',
      measures: true,
      run: othersServed,
    },
    {
      name: 'an export ends when its client disconnects',
      rules: ['FMT-09'],
      uses: 'each',
      run: cutConnections,
    },
    {
      name: 'an export that fails ends its connection before the end of the body',
      rules: ['FMT-09'],
      uses: 'each',
      run: failures,
    },
  ],
};
