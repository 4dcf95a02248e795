/** DATA: the database that is read, and the requests of the measurement, each the worst of its kind. */

/** Number of distinct sessions. They take turns, so that every session spans the whole file. */
const SESSIONS = 60_000;
/** One row of this many has the rare model. */
const RARE = 1_000_000;
/** The pairs alternate, so that every block has all names, and no row has the names of {@link LONGEST}. */
const PAIRS = [
  { tool_name: 'Bash', branch: 'other', agent_type: 'claude-code' },
  { tool_name: 'Read', branch: 'main', agent_type: 'codex' },
] as const;
/** Metadata of a usual size. */
const COMMAND = 'cargo test --locked --all-targets '.repeat(6);

/** Returns event `at` of the database. */
export function storedEvent(at: number): Readonly<Record<string, unknown>> {
  return {
    session_id: `session-${at % SESSIONS}`,
    event_type: 'tool_use',
    ...PAIRS[at % 2],
    project: `project-${at % 200}`,
    model: at % RARE === 17 ? 'rare' : `model-${at % 20}`,
    status: at % 100 === 0 ? 'error' : 'success',
    metadata: { at, command: COMMAND },
  };
}

export type Page = readonly [about: string, path: string];

const EVENTS = '/api/events?limit=50';
const SESSION_PAGE = '/api/sessions?limit=50';

export const LONGEST: Page = ['two common values that never meet', `${EVENTS}&tool_name=Bash&branch=main`];
export const STATISTICS: Page = ['statistics', '/api/stats'];
/** A search that reads every row, page after page. */
export const SEARCH: Page = ['a text that no row has', `${EVENTS}&q=zebra`];

export const PAGES: readonly Page[] = [
  LONGEST,
  ['the same, oldest first', `${LONGEST[1]}&order=asc`],
  ['three common values that never meet', `${LONGEST[1]}&status=success`],
  ['the same since 1970', `${LONGEST[1]}&since=1970-01-01T00:00:00Z`],
  ['a rare and a common value that never meet', `${EVENTS}&model=rare&tool_name=Bash&status=error`],
  ['a rare value', `${EVENTS}&model=rare`],
  ['a session', `${EVENTS}&session_id=session-7`],
  ['a session and a value that it lacks', `${EVENTS}&session_id=session-7&tool_name=Bash`],
  ['two values that meet', `${EVENTS}&tool_name=Bash&branch=other`],
  ['1,000 rows of one value', '/api/events?limit=1000&tool_name=Bash'],
  ['no filter', EVENTS],
  ['a text that every row has', `${EVENTS}&q=Locked`],
  SEARCH,
  ['a text whose beginning every row has', `${EVENTS}&q=cargo+test+--locked+x`],
  ['series by model', '/api/series?by=model'],
  ['series by model and minute', '/api/series?by=model&bucket=minute'],
  ['durations of tools', '/api/series?bucket=day&by=tool_name&durations=1'],
  ['series by model of a project', '/api/series?by=model&project=project-7'],
  ['sessions: a project', `${SESSION_PAGE}&project=project-7`],
  ['sessions: values that never meet', `${SESSION_PAGE}&project=project-7&agent_type=claude-code`],
  ['sessions: ended', `${SESSION_PAGE}&status=ended`],
  ['sessions: waiting', `${SESSION_PAGE}&status=waiting`],
  STATISTICS,
];
