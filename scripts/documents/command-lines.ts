/** Finds the commands of this repository in a document. */

/** A command line of a document: its program, and the flags that it gets. */
export interface CommandLine {
  /** A command of `package.json`, `twin-ingest SUBCOMMAND`, or `ingest-server`. */
  readonly program: string;
  readonly flags: readonly string[];
}

const PNPM = /^(?:npx --yes pnpm@[\d.]+|pnpm) ([a-z][\w:-]*)(.*)$/;
const TWIN = /^(?:npx (?:--yes )?twin-ingest(?:@latest)?|\.\/twin-ingest|twin-ingest)( .*)?$/;
const SERVER = /^(?:\S*\/)?(?:ingest-server|node server-ts\/dist\/main\.js)( .*)?$/;

/** Returns the command lines of code blocks and of code in sentences. */
export function commandLines(text: string): CommandLine[] {
  const blocks = [...text.matchAll(/^```(?:sh|bash)?\n([\s\S]*?)^```/gm)].flatMap(([, block]) =>
    block!.replaceAll('\\\n', ' ').split('\n'),
  );
  const inline = [...text.matchAll(/`([^`\n]+)`/g)].map(([, code]) => code!);
  return [...blocks, ...inline]
    .flatMap((line) => line.replace(/(^|\s)# .*/, '').split(/&&|;|\||\s{4,}/))
    .map((part) => part.trim().replace(/^(?:cd \S+|(?:[A-Z_]+=\S+\s+)+)/, ''))
    .flatMap((part) => {
      const rest = (tail = ''): string[] =>
        [...tail.matchAll(/(?<=[\s[])--[a-z][\w-]*/g)].map(([flag]) => flag);
      const twin = TWIN.exec(part.replace(/^pnpm (?=twin-ingest)/, ''));
      if (twin) {
        const [first = ''] = (twin[1] ?? '').trim().split(' ');
        const program = /^[a-z]/.test(first) ? `twin-ingest ${first}` : 'twin-ingest start';
        return [{ program, flags: rest(twin[1]) }];
      }
      const server = SERVER.exec(part);
      if (server) return [{ program: 'ingest-server', flags: rest(server[1]) }];
      const pnpm = PNPM.exec(part);
      return pnpm ? [{ program: pnpm[1]!, flags: rest(pnpm[2]) }] : [];
    });
}
