/** Third-party clients: the exporters of OpenTelemetry for Node, and `eventsource`. */
import type { ScenarioFile } from '../../src/scenario.ts';
import { acrossRestarts } from './event-source.ts';
import { everyExporter, partialSuccess } from './exporters.ts';
import { afterBusyStorage, afterLostAnswers, afterOverload, afterRestart } from './retries.ts';

export const CLIENTS: ScenarioFile = {
  name: 'clients',
  about: 'clients that others maintain: exporters of OpenTelemetry, eventsource',
  scenarios: [
    {
      name: 'exporters of Node send logs and spans that become events, and metrics that are counted',
      rules: ['OTL-01', 'OTL-02', 'OTL-03', 'OTL-04', 'OTL-07', 'OTL-08', 'OTL-10', 'BOD-03'],
      uses: 'each',
      run: everyExporter,
    },
    {
      name: 'exporters of Node read rejected records and reasons',
      rules: ['OTL-01', 'OTL-05', 'OTL-11'],
      uses: 'both',
      run: partialSuccess,
    },
    {
      name: 'exporters of Node send again after 429, and each record is stored once',
      rules: ['OTL-01', 'OTL-09', 'ING-10'],
      uses: 'each',
      waits: true,
      run: afterOverload,
    },
    {
      name: 'exporters of Node send again after 503, and each record is stored once',
      rules: ['OTL-01', 'OTL-09', 'STO-05'],
      uses: 'each',
      waits: true,
      run: afterBusyStorage,
    },
    {
      name: 'exporters of Node send again after a lost answer, and each record is stored once',
      rules: ['OTL-09', 'OTL-11'],
      uses: 'each',
      waits: true,
      run: afterLostAnswers,
    },
    {
      name: 'exporters of Node send again when the server is back, and each record is stored once',
      rules: ['OTL-09', 'PRO-07'],
      uses: 'each',
      waits: true,
      run: afterRestart,
    },
    {
      name: 'eventsource receives each event once across restarts',
      rules: ['STR-02', 'STR-03', 'PRO-07'],
      uses: 'each',
      waits: true,
      run: acrossRestarts,
    },
  ],
};
