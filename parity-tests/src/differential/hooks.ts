/**
 * Generates payloads of hooks as any release of an agent might send them. They have known and unknown names, fields of
 * every type, and keys that are repeated or contain escapes.
 */
import type { Random } from '@twin-ingest/testkit/random.ts';
import { jsonValue, key, nested, number, oddScalar, text } from './values.ts';

const KEYS: Readonly<Record<string, (random: Random) => string>> = {
  hook_event_name: (random) =>
    text(random, [
      'PostToolUse',
      'PostToolUseFailure',
      'PreToolUse',
      'Stop',
      'StopFailure',
      'SessionStart',
      'SessionEnd',
      'UserPromptSubmit',
      'FileChanged',
      'Notification',
      'PermissionRequest',
      'PermissionDenied',
      'Elicitation',
      'ElicitationResult',
      'PostModelSwitch',
      'Interrupt',
      'stop',
      ' Stop',
      'Unheard',
      'constructor',
      '__proto__',
    ]),
  session_id: (random) => text(random, ['s1', 's2', ' s1 ', 's/4 %', 'unknown', 'h,1']),
  tool_name: (random) => text(random, ['Bash', 'Read', ' Bash', '', 'AskUserQuestion', 'request_user_input']),
  cwd: (random) =>
    text(random, [
      '/home/u/p1',
      '/home/u/p2/',
      'C:\\u\\p1\\',
      '/',
      '\\\\',
      'p1',
      '/a/ p1 ',
      '/a/b/ ',
      '//p2//',
      '/a\u0000/b',
      '\ud800/b',
      `/${'x'.repeat(1024)}`,
      `/${'x'.repeat(1025)}`,
      `${'/a'.repeat(1000)}`,
    ]),
  branch: (random) => text(random, ['main', 'dev', ' ']),
  model: (random) => text(random, ['m1', 'm2', '']),
  to_model: (random) => text(random, ['m2', 'm3', ' ']),
  agent_id: (random) => text(random, ['a1', 'a2', '']),
  notification_type: (random) => text(random, ['permission_prompt', 'idle_prompt', 'auth_success']),
  tool_use_id: (random) => text(random, ['t1', 't2', ' t1', `t${random.below(1e9)}`]),
  prompt_id: (random) => text(random, ['p1', 'p2', `p${random.below(1e9)}`]),
  duration_ms: number,
  tool_input: jsonValue,
  command: (random) => text(random, ['ls', 'x'.repeat(11_000)]),
  event_id: (random) => text(random, ['e1', 'e2']),
  deep: (random) => nested(random.pick([1, 126, 127, 128])),
};

const NAMES = Object.keys(KEYS);

/** Returns the text of one payload, which is nearly always an object. */
export function hookText(random: Random): string {
  if (random.chance(0.03)) return oddScalar(random);
  const members = ['hook_event_name', 'session_id'].filter(() => random.chance(0.9));
  for (let count = random.below(6); count > 0; count -= 1) members.push(random.pick(NAMES));
  const space = random.chance(0.1) ? random.pick([' ', '\n', '\t\r\n']) : '';
  const written = members.map(
    (name) => `${space}${key(random, name)}${space}:${KEYS[name]!(random)}${space}`,
  );
  return `${space}{${written.join(',')}}${space}`;
}
