/**
 * Tests that every kind of hook payload has a line that describes it. The payloads have the shapes that agents send.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import HOOKS from '../../contract/agents/claude-code/summaries.json' with { type: 'json' };
import CODEX_HOOKS from '../../contract/agents/codex/summaries.json' with { type: 'json' };
import { hookSummary } from '../src/hook-summary.ts';

type Payload = Readonly<Record<string, unknown>>;

/** Members of nearly every payload. */
const COMMON = {
  session_id: '00000000-0000-4000-8000-000000000000',
  transcript_path: '/home/user/.claude/projects/app/0.jsonl',
  cwd: '/home/user/app',
};
const LONG = 'word'.repeat(5000);
const bash = { command: 'git status', description: 'Show the state' };
const edit = { replace_all: false, file_path: '/home/user/app/src/a.ts', old_string: 'a', new_string: 'b' };

/** A hook's name, its own members, and the line. */
const PAYLOADS: readonly (readonly [string, Payload, string])[] = [
  ['Setup', { mode: 'init' }, 'Set up: init'],
  ['Setup', { trigger: 'init' }, 'Set up: init'],
  ...['startup', 'resume', 'clear', 'compact'].map(
    (source) =>
      [
        'SessionStart',
        { source, model: 'opus', session_title: 'main', agent_type: null },
        `Session started (${source}) with opus`,
      ] as const,
  ),
  ['SessionStart', { source: 'startup' }, 'Session started (startup)'],
  ...['clear', 'logout', 'other', 'prompt_input_exit'].map(
    (reason) => ['SessionEnd', { reason }, `Session ended: ${reason}`] as const,
  ),
  [
    'InstructionsLoaded',
    { file_path: '/a/CLAUDE.md', memory_type: 'Project', load_reason: 'session_start', globs: [] },
    'Instructions loaded from /a/CLAUDE.md (session_start)',
  ],
  ['ConfigChange', { scope: 'project_settings', file_path: '/a/b' }, 'project_settings changed: /a/b'],
  ['CwdChanged', { old_cwd: '/a', new_cwd: '/b' }, 'Moved to /b from /a'],
  ['DirectoryAdded', { directory: '/c' }, 'Folder added: /c'],
  ['UserPromptSubmit', { prompt: 'Fix the test' }, 'Fix the test'],
  ['UserPromptSubmit', { prompt_text: '/review it' }, '/review it'],
  ['UserPromptSubmit', { prompt_text: LONG }, LONG.slice(0, 400)],
  ['UserPromptSubmit', {}, 'A prompt without text'],
  ['UserPromptExpansion', { command_name: 'review', expanded_text: 'Read all' }, '/review: Read all'],
  ['PreToolUse', { tool_name: 'Bash', tool_input: { ...bash, timeout: 30000 } }, 'git status'],
  ['PreToolUse', { tool_name: 'Bash', tool_input: { command: 'rm -rf /' } }, 'rm -rf /'],
  ['PreToolUse', { tool_name: 'Edit', tool_input: edit }, 'src/a.ts'],
  ['PreToolUse', { tool_name: 'Read', tool_input: { file_path: '/a/b' } }, '/a/b'],
  ['PreToolUse', { tool_name: 'mcp__example__do_thing', tool_input: { arg: 'x', n: 2 } }, 'arg: x, n: 2'],
  ['PreToolUse', { tool_name: 'TodoRead', tool_input: {} }, 'A call without input'],
  [
    'PreToolUse',
    { tool_name: 'AskUserQuestion', tool_input: { questions: [{ question: 'Which port?', options: [] }] } },
    'Which port?',
  ],
  ['PreToolUse', { tool_name: 'ExitPlanMode', tool_input: { plan: '1. Write' } }, '1. Write'],
  ['PermissionRequest', { tool_name: 'Bash', tool_input: bash }, 'Asks for permission: git status'],
  [
    'PermissionDenied',
    { tool_name: 'Bash', tool_input: bash, denial_reason: 'a rule' },
    'Not permitted: git status (a rule)',
  ],
  ['PermissionDenied', { tool_name: 'Bash', tool_input: bash }, 'Not permitted: git status'],
  ['PostToolUse', { tool_name: 'Bash', tool_input: bash, tool_output: 'clean' }, 'git status'],
  ['PostToolUse', { tool_name: 'Bash', tool_input: bash, tool_output: LONG }, 'git status'],
  ['PostToolUse', { tool_name: 'Bash', tool_input: bash, tool_response: { stdout: 'x' } }, 'git status'],
  ['PostToolUse', { tool_name: 'Edit', tool_input: edit, tool_output: 'done' }, 'src/a.ts'],
  ['PostToolUse', { tool_name: 'Read', tool_input: { file_path: '/a/b' }, tool_output: 'text' }, '/a/b'],
  ['PostToolUse', { tool_name: 'Write', tool_input: { file_path: '/a/b', content: 'text' } }, '/a/b'],
  ['PostToolUse', { session_id: 12345, cwd: null, tool_name: 'Bash', tool_input: 'a text' }, 'a text'],
  [
    'PostToolUseFailure',
    { tool_name: 'Bash', tool_input: bash, error_message: 'exit code 1' },
    'git status · exit code 1',
  ],
  [
    'PostToolUseFailure',
    { tool_name: 'Bash', tool_input: bash, error: 'stopped', is_interrupt: true },
    'git status · stopped',
  ],
  ['PostToolBatch', { batch_size: 2, tool_names: ['Read', 'Grep'] }, 'Calls finished: Read, Grep'],
  [
    'PostToolBatch',
    { tool_calls: [{ tool_name: 'Bash', tool_input: bash, tool_use_id: 't1' }] },
    'Calls finished: Bash',
  ],
  ['FileChanged', { file_path: '/a/b', change_type: 'modified' }, '/a/b (modified)'],
  ['MessageDisplay', { message_text: 'All done.' }, 'All done.'],
  ['MessageDisplay', { turn_id: 't', index: 0, final: true, delta: 'All done.' }, 'All done.'],
  ['Notification', { notification_type: 'idle_prompt', message: 'Waits for you' }, 'Waits for you'],
  ['Notification', { notification_type: 'permission_prompt' }, 'Notification: permission_prompt'],
  ['Elicitation', { server_name: 'mcp', prompt: 'Your name?' }, 'mcp asks: Your name?'],
  ['ElicitationResult', { server_name: 'mcp', response: 'Ada' }, 'Answer for mcp: Ada'],
  [
    'ElicitationResult',
    { mcp_server_name: 'mcp', action: 'accept', content: { name: 'Ada' } },
    'Answer for mcp: name: Ada',
  ],
  [
    'SubagentStart',
    { agent_type: 'general-purpose', agent_id: 'a1', task_description: 'Look' },
    'Subagent general-purpose started: Look',
  ],
  [
    'SubagentStop',
    { agent_type: 'Explore', agent_id: 'a1', summary: 'Found' },
    'Subagent Explore finished: Found',
  ],
  [
    'SubagentStop',
    { agent_type: 'Explore', last_assistant_message: 'Found it' },
    'Subagent Explore finished: Found it',
  ],
  ['TaskCreated', { task_id: 'task_1', subject: 'Tests' }, 'Task created: Tests'],
  ['TaskCompleted', { task_id: 'task_1', task_subject: 'Tests' }, 'Task completed: Tests'],
  ['TeammateIdle', { agent_id: 'helper', idle_seconds: 30 }, 'Teammate helper waits for work'],
  ['PreCompact', { trigger: 'auto' }, 'Compaction begins (auto)'],
  ['PreCompact', { trigger: 'manual', custom_instructions: '' }, 'Compaction begins (manual)'],
  ['PostCompact', { trigger: 'auto' }, 'Compaction done (auto)'],
  ['PreModelSwitch', { to_model: 'sonnet' }, 'Model changes to sonnet'],
  ['PostModelSwitch', { from_model: 'opus', to_model: 'sonnet' }, 'Model changed to sonnet'],
  ['WorktreeCreate', { worktree_path: '/a/w', branch: 'feat/x' }, 'Worktree created: /a/w'],
  ['WorktreeRemove', { worktree_path: '/a/w', branch: 'feat/x' }, 'Worktree removed: /a/w'],
  ['Stop', { turn_number: 1, assistant_message: 'Yes', effort: { level: 'medium' } }, 'Yes'],
  [
    'Stop',
    { stop_hook_active: false, last_assistant_message: 'All done.', background_tasks: [] },
    'All done.',
  ],
  ...['max_output_tokens', 'overloaded', 'rate_limit'].map(
    (error_type) =>
      [
        'StopFailure',
        { turn_number: 5, error_type, error_message: 'Too much' },
        `${error_type}: Too much`,
      ] as const,
  ),
  ['StopFailure', { error: 'rate_limit' }, 'The turn failed: rate_limit'],
  ['SomeFutureEventV2', { data: { x: 1 }, kind: 'new' }, 'data { x }, kind: new'],
];

test('a payload of each shape has its line', () => {
  for (const [name, own, line] of PAYLOADS)
    assert.equal(hookSummary('claude_code', name, { ...COMMON, ...own, hook_event_name: name }), line, name);
});

test('an empty payload of every hook has a line, and so has a payload without a name', () => {
  for (const name of Object.keys(HOOKS.hooks)) {
    const line = hookSummary('claude_code', name, {});
    assert.match(line, /^An? |^[A-Z]\w+( \w+)+$/, name);
    assert.ok(
      PAYLOADS.some(([other]) => other === name),
      `no payload of ${name} is tested`,
    );
  }
  for (const name of [null, 'toString'])
    assert.equal(hookSummary('claude_code', name, COMMON), 'A hook that this version does not know');
});

/** Members specific to payloads of Codex 0.169.0, and the line. */
const CODEX_PAYLOADS: readonly (readonly [string, Payload, string])[] = [
  [
    'SessionStart',
    { model: 'gpt-5.1-codex', source: 'startup' },
    'Session started (startup) with gpt-5.1-codex',
  ],
  ['SessionEnd', { reason: 'other' }, 'Session ended: other'],
  ['UserPromptSubmit', { prompt: 'list the files' }, 'list the files'],
  ['PreToolUse', { tool_name: 'Bash', tool_input: { command: 'ls' } }, 'ls'],
  [
    'PreToolUse',
    { tool_name: 'request_user_input', tool_input: { questions: [{ id: 'q', question: 'Which colour?' }] } },
    'Which colour?',
  ],
  [
    'PostToolUse',
    { tool_name: 'spawn_agent', tool_input: { message: 'look', agent_type: 'default' } },
    'look',
  ],
  [
    'PermissionRequest',
    { tool_name: 'Bash', tool_input: { command: 'touch a', description: 'to test' } },
    'Asks for permission: touch a',
  ],
  ['PreCompact', { trigger: 'manual' }, 'Compaction begins (manual)'],
  ['PostCompact', { trigger: 'manual' }, 'Compaction done (manual)'],
  ['SubagentStart', { agent_id: 'a', agent_type: 'default' }, 'Subagent default started'],
  ['SubagentStop', { agent_type: 'default', last_assistant_message: 'Child done.' }, 'Child done.'],
  ['Interrupt', { permission_mode: 'default' }, 'The user interrupted the turn'],
  ['Stop', { last_assistant_message: null }, 'The agent finished its turn'],
];

test('a payload of each hook of Codex has its line', () => {
  for (const [name, own, line] of CODEX_PAYLOADS)
    assert.equal(hookSummary('codex', name, { ...COMMON, ...own, hook_event_name: name }), line, name);
  const tested = new Set(CODEX_PAYLOADS.map(([name]) => name));
  assert.deepEqual([...tested].sort(), Object.keys(CODEX_HOOKS.hooks).sort());
});
