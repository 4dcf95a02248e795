/** Entry point of the dashboard: starts its subscriptions, then draws it. */
import { render } from 'preact';
import { App } from './app.tsx';
import { drawWithRows } from './drawn.ts';
import { followRows } from './feed.ts';
import { followServer } from './live.ts';
import { followChoice } from './notify/choice.ts';
import { followNotices } from './notify/show.ts';
import { followRoute } from './route.ts';
import { followTheme } from './theme.ts';
import { followAddress } from './view.ts';
import { followTitle } from './waiting.ts';

followTheme();
followAddress();
followRoute();
followTitle();
followChoice();
followNotices();
followRows();
followServer();
void drawWithRows(() => render(<App />, document.getElementById('app')!));
