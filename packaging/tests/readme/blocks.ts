/** Reads the commands of a document: the lines of its `sh` blocks, by section. No I/O. */

export interface Section {
  readonly title: string;
  readonly commands: readonly string[];
}

/** Returns the sections that have commands. A line that ends with a backslash or a pipe continues in the next one. */
export function sectionsOf(markdown: string): Section[] {
  return markdown.split(/^## /m).flatMap((text) => {
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
    const commands = blocks.flatMap((block) =>
      block
        .replaceAll(/ *\\\n */g, ' ')
        .replaceAll(/\|\n */g, '| ')
        .split('\n')
        .map((line) => line.replace(/(?<=^|\s)#(?= ).*$/, '').trim())
        .filter((line) => line !== ''),
    );
    return commands.length === 0 ? [] : [{ title: text.split('\n', 1)[0]!, commands }];
  });
}

/** How the test treats a command, with the reason. Without a rule it runs to its end and exits with 0. */
export interface Rule {
  readonly command: string;
  /**
   * `night`: only the nightly test runs it. `exempt`: no test runs it. `stream`: it has printed something when it is
   * ended as by Ctrl-C. `run`: it runs to its end. `server`: it runs until the next server starts. `beside`: it runs
   * until the end of the document, next to others.
   */
  readonly kind: 'night' | 'exempt' | 'stream' | 'run' | 'server' | 'beside';
  readonly reason: string;
  /** Words that the test adds. */
  readonly append?: string;
  /** The exit code, where it is not 0. */
  readonly exit?: number;
  /** Commands that prepare this one, or that follow it. */
  readonly before?: readonly string[];
  readonly after?: readonly string[];
}

/** A document whose commands run. */
export interface Document {
  readonly path: string;
  /** Sections whose commands are those of packages, in a home without a clone; or all of them. */
  readonly of_packages?: readonly string[] | 'all';
  /** What a reader replaces: words of the document by others, in which `{url}` is the address of the server. */
  readonly texts?: Readonly<Record<string, string>>;
  /** Files that a reader writes: each is the block of the document that has this text. */
  readonly files?: Readonly<Record<string, string>>;
  readonly rules: readonly Rule[];
}

/** Returns the content of the only block of a document that has this text; `null` when none or several have it. */
export function blockWith(markdown: string, text: string): string | null {
  const blocks = [...markdown.matchAll(/^```\w*\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
  const found = blocks.filter((block) => block.includes(text));
  return found.length === 1 ? found[0]! : null;
}

/** Returns what is wrong with the rules: one without its command, or two of one command. */
export function uselessRules(sections: readonly Section[], rules: readonly Rule[]): string[] {
  const commands = sections.flatMap((section) => section.commands);
  return rules.flatMap(({ command }, at) => {
    if (!commands.includes(command)) return [`the document has no command ${command}`];
    return rules.findIndex((rule) => rule.command === command) === at ? [] : [`two rules for ${command}`];
  });
}

/** An assignment, which the commands after it in a section see. */
export function isAssignment(command: string): boolean {
  return /^(?:export )?[A-Z_]+=(?:"[^"]*"|[^\s"]*)$/.test(command);
}
