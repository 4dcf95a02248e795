/** Builds Claude Code's hooks for a few sessions with different activity. */
import assert from 'node:assert/strict';

export type Hook = Readonly<Record<string, unknown>>;

export async function postHooks(url: string, hooks: readonly Hook[]): Promise<void> {
  for (const hook of hooks) {
    const response = await fetch(`${url}/api/hooks/claude-code`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(hook),
    });
    assert.equal(response.status, 200);
    await response.arrayBuffer();
  }
}

/** Returns the hooks of one session. */
export function sessionOf(id: string, project: string) {
  const session_id = `7b1f2c3d-${id}-4000-8000-aaaaaaaaaaaa`;
  const hook = (hook_event_name: string, own: Hook = {}): Hook => ({
    session_id,
    transcript_path: `/home/user/.claude/projects/${project}/${id}.jsonl`,
    cwd: `/home/user/${project}`,
    hook_event_name,
    ...own,
  });
  return {
    session_id,
    hook,
    start: hook('SessionStart', { source: 'startup', model: 'claude-opus-4-8' }),
    prompt: (prompt: string) => hook('UserPromptSubmit', { prompt }),
    before: (tool_use_id: string, tool_name: string, tool_input: Hook) =>
      hook('PreToolUse', { tool_use_id, tool_name, tool_input }),
    after: (tool_use_id: string, tool_name: string, tool_input: Hook, duration_ms = 820) =>
      hook('PostToolUse', { tool_use_id, tool_name, tool_input, tool_response: {}, duration_ms }),
    failed: (tool_use_id: string, tool_name: string, tool_input: Hook, error: string) =>
      hook('PostToolUseFailure', { tool_use_id, tool_name, tool_input, error, duration_ms: 4100 }),
    stop: (last_assistant_message: string) => hook('Stop', { last_assistant_message }),
  };
}

/**
 * Returns the hooks of five sessions: one works, one asks for permission, one asks a question, one has finished its
 * turn, one has ended.
 */
export function fiveSessions(): Hook[] {
  const [works, asks, wonders, done, ended] = [
    sessionOf('0001', 'shop'),
    sessionOf('0002', 'billing'),
    sessionOf('0003', 'website'),
    sessionOf('0004', 'shop'),
    sessionOf('0005', 'infrastructure'),
  ] as const;
  const question = { questions: [{ question: 'Which port should the preview use?', options: [] }] };
  const deploy = { command: 'npm run deploy -- --production', description: 'Deploy' };
  return [
    ended.start,
    ended.prompt('Update the build image to Debian 13'),
    ended.before('e1', 'Edit', { file_path: '/home/user/infrastructure/Dockerfile', old_string: 'a' }),
    ended.after('e1', 'Edit', { file_path: '/home/user/infrastructure/Dockerfile', old_string: 'a' }, 12),
    ended.stop('The image is built from Debian 13 now.'),
    ended.hook('SessionEnd', { reason: 'prompt_input_exit' }),
    done.start,
    done.prompt('Why does the checkout round prices twice?'),
    done.before('d1', 'Grep', { pattern: 'Math.round', path: 'src' }),
    done.after('d1', 'Grep', { pattern: 'Math.round', path: 'src' }, 40),
    done.hook('SubagentStart', { agent_type: 'Explore', agent_id: 'a1' }),
    done.hook('SubagentStop', {
      agent_type: 'Explore',
      agent_id: 'a1',
      last_assistant_message: 'Two callers round.',
    }),
    done.stop('Both the cart and the invoice round. Only the invoice should; shall I change the cart?'),
    wonders.start,
    wonders.prompt('Add a preview server for the landing page'),
    wonders.before('w1', 'mcp__docs__lookup', { topic: 'preview', version: 4 }),
    wonders.after('w1', 'mcp__docs__lookup', { topic: 'preview', version: 4 }, 310),
    wonders.before('w2', 'AskUserQuestion', question),
    asks.start,
    asks.prompt('Deploy the fixed invoice service'),
    asks.before('b1', 'Bash', { command: 'npm test' }),
    asks.failed('b1', 'Bash', { command: 'npm test' }, 'Exit code 1: 2 of 48 tests failed'),
    asks.before('b2', 'Bash', deploy),
    asks.hook('PermissionRequest', { tool_name: 'Bash', tool_input: deploy }),
    asks.hook('Notification', {
      notification_type: 'permission_prompt',
      message: 'Claude needs your permission to use Bash',
    }),
    works.start,
    works.prompt('Fix the flaky test in auth.spec.ts'),
    works.before('s1', 'Read', { file_path: '/home/user/shop/test/auth.spec.ts' }),
    works.after('s1', 'Read', { file_path: '/home/user/shop/test/auth.spec.ts' }, 9),
    works.before('s2', 'Bash', { command: 'npm test -- auth.spec.ts --repeat 50', description: 'Repeat it' }),
  ];
}
