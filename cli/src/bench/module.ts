/**
 * Finds the module that measures: the one that is installed next to this package, else the one that npm keeps in its
 * cache. In a checkout it is a source file.
 *
 * Invariant: it has the version of this package, because both are parts of one program.
 */
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import VERSION from '../../package.json' with { type: 'json' };
import { isPackaged } from '../packaged/is-packaged.ts';

const NAME = '@twin-ingest/bench';
const WANTED = `${NAME}@${VERSION.version}`;
/** Program of the package that prints where its module is. */
const WHERE = 'twin-ingest-bench';

/** Returns the URL of the module; `null` when it is not available, which `complain` has explained in one line. */
export async function measuringModule(complain: (line: string) => void): Promise<string | null> {
  if (!isPackaged) return pathToFileURL(`${ROOT}loadgen/src/packaged/main.ts`).href;
  const installed = installedModule();
  if (installed?.version === VERSION.version) return installed.module;
  if (installed !== null)
    complain(`${NAME} ${installed.version} is installed, so npm gets the version of this command`);
  return await cachedModule(complain);
}

function installedModule(): { readonly module: string; readonly version: string } | null {
  const require = createRequire(import.meta.url);
  try {
    const { version } = require(`${NAME}/package.json`) as { version: string };
    return { version, module: pathToFileURL(require.resolve(NAME)).href };
  } catch {
    return null;
  }
}

/** Lets npm install the package into its cache, as npx does, and asks the package for its module. */
async function cachedModule(complain: (line: string) => void): Promise<string | null> {
  complain(`npm gets ${WANTED}, which it keeps in its cache`);
  const [command, ...first] = npm();
  const words = [...first, 'exec', '--yes', `--package=${WANTED}`, '--', WHERE];
  const child = spawn(command!, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<boolean>((resolve) => {
    child.once('error', () => resolve(false));
    child.once('close', (code) => resolve(code === 0));
  });
  const [isDone, printed, said] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  const module = printed.trim().split('\n').at(-1)!;
  if (isDone && module.startsWith('file:')) return module;
  const why = /^npm (?:error|ERR!) code (\S+)$/m.exec(said)?.[1];
  complain(
    `npm could not get it${why === undefined ? '' : ` (${why})`}; with a network run npm install -g twin-ingest ${NAME}`,
  );
  return null;
}

/** Returns the npm that runs this command, else the one of PATH. */
function npm(): string[] {
  const running = process.env.npm_execpath;
  return running?.endsWith('npm-cli.js') ? [process.execPath, running] : ['npm'];
}
