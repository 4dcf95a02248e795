/**
 * Lists the tasks of a demo's agents, with their files and commands.
 *
 * There are two tasks for each concurrent agent, so that no two agents have the same task.
 */

export interface Task {
  readonly project: string;
  readonly branch: string;
  readonly prompt: string;
  readonly files: readonly string[];
  readonly pattern: string;
  readonly commands: readonly string[];
  readonly answer: string;
}

export const TASKS: readonly Task[] = [
  {
    ...{ project: 'shop', branch: 'fix/rounding', prompt: 'Why does the checkout round prices twice?' },
    ...{ files: ['src/cart.ts', 'src/invoice.ts', 'test/cart.test.ts'], pattern: 'Math.round' },
    commands: ['npm test -- cart', 'git diff --stat'],
    answer: 'Only the invoice rounds now; the cart keeps whole cents.',
  },
  {
    ...{ project: 'shop', branch: 'feat/search', prompt: 'Add a search field to the list of orders' },
    ...{ files: ['src/orders/list.tsx', 'src/orders/query.ts'], pattern: 'useOrders' },
    commands: ['npm run build', 'npm test -- orders'],
    answer: 'Orders can be searched by number and by name.',
  },
  {
    ...{ project: 'billing', branch: 'main', prompt: 'Move the invoice export to a background job' },
    ...{ files: ['jobs/export.py', 'api/invoices.py', 'tests/test_export.py'], pattern: 'export_invoices' },
    commands: ['pytest tests/test_export.py -q', 'docker compose up -d worker'],
    answer: 'The export runs as a job and sends a link when it is done.',
  },
  {
    ...{ project: 'billing', branch: 'chore/deps', prompt: 'Update the dependencies and fix what breaks' },
    ...{ files: ['pyproject.toml', 'api/client.py'], pattern: 'DeprecationWarning' },
    commands: ['uv lock --upgrade', 'pytest -q'],
    answer: 'All dependencies are current; two deprecated calls are replaced.',
  },
  {
    ...{ project: 'infra', branch: 'main', prompt: 'Make the nightly build fail on warnings' },
    ...{ files: ['.github/workflows/nightly.yml', 'Makefile'], pattern: '-Wall' },
    commands: ['make check', 'git push origin HEAD'],
    answer: 'The nightly build treats warnings as errors.',
  },
  {
    ...{ project: 'website', branch: 'feat/dark-mode', prompt: 'Give the landing page a dark mode' },
    ...{ files: ['styles/base.css', 'src/theme.ts', 'src/header.tsx'], pattern: 'color-scheme' },
    commands: ['npm run lint', 'npx playwright test theme'],
    answer: 'The page follows the setting of the system and remembers a choice.',
  },
  {
    ...{ project: 'parser', branch: 'perf/arena', prompt: 'Find out why parsing large files is slow' },
    ...{ files: ['src/lexer.rs', 'src/arena.rs', 'benches/parse.rs'], pattern: 'clone()' },
    commands: ['cargo test', 'cargo bench parse'],
    answer: 'Nodes live in an arena now; parsing is no longer bound by allocation.',
  },
  {
    ...{ project: 'mobile', branch: 'feat/offline', prompt: 'Keep drafts when the phone is offline' },
    ...{ files: ['lib/drafts.dart', 'lib/sync.dart', 'test/drafts_test.dart'], pattern: 'saveDraft' },
    commands: ['flutter test', 'dart format lib'],
    answer: 'Drafts are kept on the phone and sent once it is online again.',
  },
];

export const FOLLOW_UPS: readonly string[] = [
  'Add a test for it',
  'Run the whole test suite',
  'Explain the change in two sentences',
  'Simplify it, and keep the names',
  'Commit it with a short message',
];

export const CALL_ERRORS: Readonly<Record<'shell' | 'other', string>> = {
  shell: 'Exit code 1: 2 of 48 tests failed',
  other: 'No such file or directory',
};
export const MODEL_ERROR = '529 overloaded: try again later';
