/**
 * Compares what a document says with the data: links, files, variables, routes, metrics, rules, exit codes, defaults,
 * limits and versions. `scripts/commands` does so for commands.
 *
 * A sentence whose number or name is data elsewhere is thereby tested. What a sentence says about behaviour is not:
 * that belongs into a case, a scenario, or no document.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DocumentFacts } from './facts.ts';

/** Files that a program makes, and names with a placeholder. */
const MADE = /^(target|node_modules|\.bench|\.\/data|[\w-]+\/dist)\/|\.tgz$|[A-Z]{3,}\./;

/** Returns the broken links of a document: files and headings that do not exist. */
export function brokenLinks(path: string, text: string, root: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
    ([, link, source]) => link ?? source!,
  );
  return links
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [file, anchor] = link.split('#');
      const target = file === '' ? path : join(dirname(path), file!);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(readFileSync(join(root, target), 'utf8')).includes(anchor);
    })
    .map((link) => `${path}: the link ${link} leads nowhere`);
}

/** Returns the anchors of a document, named as by GitHub. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** A kind of claim: where a document makes it, and what is true instead if it is false. */
interface Claim {
  readonly pattern: RegExp;
  readonly truth: (groups: readonly string[], facts: DocumentFacts, path: string) => string | undefined;
}

/** Returns a text unless the claim holds. */
const unless = (holds: boolean, truth: string): string | undefined => (holds ? undefined : truth);

const CLAIMS: readonly Claim[] = [
  {
    pattern: /`((?:[\w.-]+\/)+[\w.-]+)`/g,
    truth: ([name = ''], { root }, path) => unless(isFile(name, dirname(path), root), 'is no file'),
  },
  {
    // A user of a package has no checkout.
    pattern: /(?:ingest-server|twin-ingest) [^`\n#]*(?<=[ =])((?:contract|docs|scripts)\/\S+)/g,
    truth: () => 'no package has this file',
  },
  {
    pattern: /\b(INGEST_[A-Z_]+)\b/g,
    truth: ([name], { options }) =>
      unless(
        options.some(({ env }) => env === name),
        'is no variable of config.json',
      ),
  },
  {
    pattern: /(?<=[\s`"])((?:\/api|\/v1|\/bench)\/[\w./{}-]+|\/(?:livez|readyz|metrics))/g,
    truth: ([route = ''], { routes }) => unless(isRoute(route.replace(/[.]$/, ''), routes), 'is no route'),
  },
  {
    pattern: /`(ingest_[a-z_]+)(?![A-Za-z_])/g,
    truth: ([name = ''], { metrics }) =>
      unless(metrics.includes(name.replace(/_(sum|count|bucket)$/, '')), 'is no metric'),
  },
  {
    pattern: /\b([A-Z]{3})-(\d\d)\b/g,
    truth: ([group = '', number], { rules }) => {
      const last = rules.get(group) ?? Number.POSITIVE_INFINITY;
      return unless(Number(number) <= last, `the last rule is ${group}-${last}`);
    },
  },
  {
    pattern: /\b([A-Z]{3})-01 to \1-(\d\d)\b/g,
    truth: ([group = '', number], { rules }, path) => {
      const last = rules.get(group);
      // Rules themselves refer to parts of a group.
      const isPart = last === undefined || path.startsWith('contract/');
      return unless(isPart || Number(number) === last, `the last rule is ${group}-${last}`);
    },
  },
  {
    pattern: /(?<!-)\bexits? (?:with )?(?:code |codes )?(\d+)\b/gi,
    truth: ([code], { exits }) => unless(exits.includes(Number(code)), 'no program exits so'),
  },
  {
    pattern: /(Claude Code|Codex|Gemini CLI|OpenCode)(?:`| *\|)? (\d+(?:\.\d+)+)/g,
    truth: ([name = '', version = ''], { agents }) =>
      unless(isVersion(version, [agents[name]!]), `the tests have ${agents[name]}`),
  },
  {
    pattern: /\bNode(?:\.js)?(?: ≥)? (\d+(?:\.\d+)*(?:(?:, | and )\d+)*)/g,
    truth: ([versions = ''], { node }) =>
      unless(
        versions.split(/, | and /).every((version) => isVersion(version, node)),
        `the data has ${node.join(', ')}`,
      ),
  },
  {
    pattern: /(@?[\w-]+(?:\/[\w-]+)?)`? (\d+(?:\.\w+)+)/g,
    truth: ([name = '', version = ''], { packages }) => {
      const named = packages.get(name);
      return unless(
        named === undefined || isVersion(version, named),
        `the manifests have ${named?.join(', ')}`,
      );
    },
  },
  {
    pattern: /\bpnpm@([\d.]*\d)/g,
    truth: ([version], { pnpm }) => unless(version === pnpm, `package.json has ${pnpm}`),
  },
  {
    pattern: /"version":"([^"]+)","contract":"([^"]+)"/g,
    truth: ([server, contract], { versions }) =>
      unless(
        server === versions.server && contract === versions.contract,
        `it is ${versions.server} and ${versions.contract}`,
      ),
  },
  {
    pattern: /`--([a-z-]+)` \((\d[^)]*)\)/g,
    truth: ([name = '', value = ''], { options }) => {
      const option = options.find((one) => one.name === name);
      return unless(
        option === undefined || amountOf(value, name) === Number(option.default),
        `the default is ${option?.default}`,
      );
    },
  },
  {
    pattern: /(\d[\d,.]*(?: (?:[KMG]iB|ms|s|minutes|days)\b)?)[^.\d`|]*(?:`\w+` )?\(`(\w+)`\)/g,
    truth: ([value = '', name = ''], { limits }) => {
      const limit = limits[name];
      return unless(typeof limit !== 'number' || amountOf(value, name) === limit, `${name} is ${limit}`);
    },
  },
];

/** Returns what a document says that the data contradicts. */
export function falseClaims(path: string, text: string, facts: DocumentFacts): string[] {
  return CLAIMS.flatMap(({ pattern, truth }) =>
    [...text.matchAll(pattern)].flatMap(([claim, ...groups]) => {
      const problem = truth(groups, facts, path);
      return problem === undefined ? [] : [`${path}: "${claim}": ${problem}`];
    }),
  );
}

/** Returns whether a name is a file of the checkout, of the document's folder or its parent, or of none of them. */
function isFile(name: string, folder: string, root: string): boolean {
  const [first = ''] = name.split('/');
  const bases = ['', folder, dirname(folder)].filter((base) => existsSync(join(root, base, first)));
  const isThere = (base: string) =>
    ['', '.rs', '.ts'].some((end) => pathsOf(join(root, base), name + end).some((path) => existsSync(path)));
  return bases.length === 0 || MADE.test(name) || bases.some(isThere);
}

/** Returns the paths that a name stands for; `NAME` is any folder in its place. */
function pathsOf(base: string, name: string): string[] {
  const [before, after] = name.split(/(?<=\/)NAME(?=\/|$)/);
  if (after === undefined) return [join(base, name)];
  const folder = join(base, before!);
  return existsSync(folder) ? readdirSync(folder).map((entry) => join(folder, entry + after)) : [];
}

/** Returns whether a path is a route, or the beginning of one in prose. */
function isRoute(path: string, routes: readonly string[]): boolean {
  const parts = path.split('/');
  return routes.some((route) => {
    const wanted = route.split('/');
    const isAny = (part: string) => part === '' || /^[A-Z]+$/.test(part);
    return (
      wanted.length >= parts.length &&
      parts.every((part, index) => part === wanted[index] || wanted[index]!.startsWith('{') || isAny(part))
    );
  });
}

/** Returns whether a version is one of the data, or the beginning of one. */
function isVersion(version: string, known: readonly string[]): boolean {
  return known.some((one) => one === version || one.startsWith(`${version}.`));
}

const UNITS: Readonly<Record<string, number>> = {
  KiB: 1024,
  MiB: 1024 ** 2,
  GiB: 1024 ** 3,
  ms: 1,
  s: 1000,
  minutes: 60_000,
  days: 86_400_000,
};

/** Returns an amount such as `10,240`, `8 MiB` or `5 s`, in the unit of the name: bytes, milliseconds or a count. */
function amountOf(text: string, name: string): number {
  const [, digits = '', unit] = /^([\d,.]+) ?([A-Za-z]*)$/.exec(text) ?? [];
  const amount = Number(digits.replaceAll(',', '').replace(/\.$/, ''));
  const scale = UNITS[unit ?? ''] ?? 1;
  return name.endsWith('_s') ? (amount * scale) / 1000 : amount * scale;
}
