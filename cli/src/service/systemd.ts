/** Writes a unit of the user's systemd. */
import { join } from 'node:path';
import { DESCRIPTION, FINAL_EXITS, type Home, MARK, type Manager, type Server } from './service.ts';

const UNIT = 'twin-ingest.service';

export const SYSTEMD: Manager = {
  label: 'systemd',
  isTested: true,
  path: ({ home, env }) => join(env.XDG_CONFIG_HOME || join(home, '.config'), 'systemd', 'user', UNIT),
  definition: unit,
  install: () => [
    ['systemctl', '--user', 'daemon-reload'],
    ['systemctl', '--user', 'enable', '--now', UNIT],
  ],
  uninstall: () => ({
    before: [['systemctl', '--user', 'disable', '--now', UNIT]],
    after: [['systemctl', '--user', 'daemon-reload']],
  }),
  status: (_home: Home) => ['systemctl', '--user', 'is-active', UNIT],
};

function unit({ command, args }: Server): string {
  return `# ${MARK}
[Unit]
Description=${DESCRIPTION}

[Service]
ExecStart=${[command, ...args].map(quoted).join(' ')}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=${FINAL_EXITS.join(' ')}
TimeoutStopSec=10
UMask=0077
NoNewPrivileges=true

[Install]
WantedBy=default.target
`;
}

/** Quotes a word of ExecStart. Systemd expands $ and % in it. */
function quoted(word: string): string {
  const text = word.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('$', '$$$$');
  return /^[\w@:./=%+-]+$/.test(text) ? text : `"${text}"`;
}
