/** Writes a scheduled task that starts at sign-in (Windows). */
import { win32 } from 'node:path';
import { DESCRIPTION, escapeXml, type Home, MARK, type Manager, type Server } from './service.ts';

const NAME = 'twin-ingest';

const taskPath = ({ home, env }: Home): string =>
  win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), NAME, 'task.xml');

export const WINDOWS_TASK: Manager = {
  label: 'the task scheduler',
  isTested: false,
  path: taskPath,
  definition: task,
  install: (home) => [
    ['schtasks', '/Create', '/TN', NAME, '/XML', taskPath(home)],
    ['schtasks', '/Run', '/TN', NAME],
  ],
  uninstall: () => ({
    before: [
      ['schtasks', '/End', '/TN', NAME],
      ['schtasks', '/Delete', '/TN', NAME, '/F'],
    ],
    after: [],
  }),
  status: () => ['schtasks', '/Query', '/TN', NAME],
};

/** The scheduler reads UTF-16 with a byte order mark. */
function task({ command, args }: Server): Buffer {
  const text = `<?xml version="1.0" encoding="UTF-16"?>
<!-- ${MARK} -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>${DESCRIPTION}</Description>
  </RegistrationInfo>
  <Triggers>
    <LogonTrigger>
      <Enabled>true</Enabled>
    </LogonTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <RestartOnFailure>
      <Interval>PT1M</Interval>
      <Count>3</Count>
    </RestartOnFailure>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
  </Settings>
  <Actions>
    <Exec>
      <Command>${escapeXml(command)}</Command>
      <Arguments>${escapeXml(args.map(quoted).join(' '))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
  return Buffer.from(`\uFEFF${text.replaceAll('\n', '\r\n')}`, 'utf16le');
}

/** Quotes an argument as CommandLineToArgvW reads it: backslashes count double before a quote. */
function quoted(word: string): string {
  if (/^[^\s"]+$/.test(word)) return word;
  return `"${word.replace(/(\\*)("|$)/g, (_, slashes: string, sign: string) => slashes + slashes + (sign && '\\"'))}"`;
}
