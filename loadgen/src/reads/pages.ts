/** DATA: the requests of the measurement, each the worst of its kind. */

export interface Page {
  readonly about: string;
  readonly path: string;
}

const EVENTS = '/api/events?limit=50';

export const LONGEST: Page = {
  about: 'two common values that never meet',
  path: `${EVENTS}&tool_name=Bash&branch=main`,
};

export const STATISTICS: Page = { about: 'statistics', path: '/api/stats' };

/** A search that reads every row, page after page. */
export const SEARCH: Page = { about: 'a text that no row has', path: `${EVENTS}&q=zebra` };

export const PAGES: readonly Page[] = [
  LONGEST,
  { about: 'the same, oldest first', path: `${EVENTS}&tool_name=Bash&branch=main&order=asc` },
  {
    about: 'three common values that never meet',
    path: `${EVENTS}&tool_name=Bash&branch=main&status=success`,
  },
  { about: 'the same since 1970', path: `${EVENTS}&tool_name=Bash&branch=main&since=1970-01-01T00:00:00Z` },
  {
    about: 'a rare and a common value that never meet',
    path: `${EVENTS}&model=rare&tool_name=Bash&status=error`,
  },
  { about: 'a rare value', path: `${EVENTS}&model=rare` },
  { about: 'a session', path: `${EVENTS}&session_id=session-7` },
  { about: 'a session and a value that it lacks', path: `${EVENTS}&session_id=session-7&tool_name=Bash` },
  { about: 'two values that meet', path: `${EVENTS}&tool_name=Bash&branch=other` },
  { about: '1,000 rows of one value', path: '/api/events?limit=1000&tool_name=Bash' },
  { about: 'no filter', path: EVENTS },
  { about: 'a text that every row has', path: `${EVENTS}&q=Locked` },
  SEARCH,
  {
    about: 'a text whose beginning every row has',
    path: `${EVENTS}&q=${'cargo test --locked x'.replaceAll(' ', '+')}`,
  },
  { about: 'series by model', path: '/api/series?by=model' },
  { about: 'series by model and minute', path: '/api/series?by=model&bucket=minute' },
  { about: 'durations of tools', path: '/api/series?bucket=day&by=tool_name&durations=1' },
  { about: 'series by model of a project', path: '/api/series?by=model&project=project-7' },
  { about: 'sessions: a project', path: '/api/sessions?limit=50&project=project-7' },
  {
    about: 'sessions: values that never meet',
    path: '/api/sessions?limit=50&project=project-7&agent_type=claude-code',
  },
  { about: 'sessions: ended', path: '/api/sessions?limit=50&status=ended' },
  { about: 'sessions: waiting', path: '/api/sessions?limit=50&status=waiting' },
];
