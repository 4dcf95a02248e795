/**
 * Telemetry in OTLP (rules OTL-01 to OTL-14): results of mappings, malformed bodies, refusals, gRPC, large requests.
 */
import type { ScenarioFile } from '../../src/scenario.ts';
import { unknownNames, wrongAddresses } from './addresses.ts';
import { prefaces } from './grpc.ts';
import { hostileBodies } from './hostile.ts';
import { everyFault } from './malformed.ts';
import { everyEntry, randomRecords } from './mapping.ts';
import { fullQueue, stalledBody, storageBusy } from './refusals.ts';
import { turns } from './weight.ts';

const MAPPING = ['OTL-01', 'OTL-04', 'OTL-05', 'OTL-06', 'OTL-07', 'OTL-08', 'OTL-09', 'OTL-10', 'OTL-11'];

export const OTLP_SCENARIOS: ScenarioFile = {
  name: 'otlp',
  about: 'telemetry of agents: mappings, malformed bodies, refusals, gRPC, weight',
  scenarios: [
    {
      name: 'each entry of each mapping follows the rules',
      rules: MAPPING,
      uses: 'each',
      run: everyEntry,
    },
    { name: 'random records become what the rules say', rules: MAPPING, uses: 'each', run: randomRecords },
    {
      name: 'each fault of Protobuf in each message is refused with its reason',
      rules: ['OTL-03', 'FMT-06', 'OTL-11'],
      uses: 'each',
      run: everyFault,
    },
    {
      name: 'a full queue is 429, and the request can be sent again',
      rules: ['OTL-01', 'OTL-11', 'ING-10'],
      uses: 'each',
      waits: true,
      run: fullQueue,
    },
    {
      name: 'busy storage is 503, and the request can be sent again',
      rules: ['OTL-01', 'OTL-11', 'STO-05'],
      uses: 'each',
      waits: true,
      run: storageBusy,
    },
    {
      name: 'a body that stalls is 408',
      rules: ['OTL-01', 'HTT-11'],
      uses: 'each',
      waits: true,
      run: stalledBody,
    },
    {
      name: 'connections of gRPC are closed, counted and logged once',
      rules: ['OTL-12', 'OTL-11'],
      uses: 'each',
      run: prefaces,
    },
    {
      name: 'requests at addresses that are nearly right are counted and logged once',
      rules: ['OTL-13', 'OTL-11'],
      uses: 'each',
      run: wrongAddresses,
    },
    {
      name: 'requests without a record are counted and logged once',
      rules: ['OTL-14', 'OTL-11'],
      uses: 'each',
      run: unknownNames,
    },
    {
      name: 'turns of realistic size take bounded memory and time',
      rules: ['OTL-01', 'OTL-10', 'BOD-05'],
      uses: 'each',
      measures: true,
      run: turns,
    },
    {
      name: 'millions of empty parts take bounded memory and time',
      rules: ['OTL-02', 'OTL-03', 'OTL-06'],
      uses: 'each',
      measures: true,
      run: hostileBodies,
    },
  ],
};
