/** Writes an agent of launchd (macOS). */
import { join } from 'node:path';
import { DESCRIPTION, escapeXml, type Home, MARK, type Manager, type Server } from './service.ts';

const LABEL = 'twin-ingest.server';

const agentPath = ({ home }: Home): string => join(home, 'Library', 'LaunchAgents', `${LABEL}.plist`);
const domain = ({ uid }: Home): string => `gui/${uid}`;

export const LAUNCHD: Manager = {
  label: 'launchd',
  isTested: false,
  path: agentPath,
  definition: plist,
  install: (home) => [['launchctl', 'bootstrap', domain(home), agentPath(home)]],
  uninstall: (home) => ({ before: [['launchctl', 'bootout', `${domain(home)}/${LABEL}`]], after: [] }),
  status: (home) => ['launchctl', 'print', `${domain(home)}/${LABEL}`],
};

function plist({ command, args, log }: Server): string {
  const words = [command, ...args].map((word) => `    <string>${escapeXml(word)}</string>\n`).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<!-- ${MARK} ${DESCRIPTION} -->
<plist version="1.0">
<dict>
  <key>Label</key>
  <string>${LABEL}</string>
  <key>ProgramArguments</key>
  <array>
${words}  </array>
  <key>RunAtLoad</key>
  <true/>
  <key>KeepAlive</key>
  <dict>
    <key>SuccessfulExit</key>
    <false/>
  </dict>
  <key>ThrottleInterval</key>
  <integer>10</integer>
  <key>ProcessType</key>
  <string>Background</string>
  <key>Umask</key>
  <integer>63</integer>
  <key>StandardErrorPath</key>
  <string>${escapeXml(log)}</string>
</dict>
</plist>
`;
}
