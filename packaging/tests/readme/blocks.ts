/** Reads the commands of a README: the lines of its `sh` blocks, by section. No I/O. */

export interface Section {
  readonly title: string;
  readonly commands: readonly string[];
}

/** Returns the sections that have commands. A line that ends with a backslash continues in the next one. */
export function sectionsOf(markdown: string): Section[] {
  return markdown.split(/^## /m).flatMap((text) => {
    const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block]) => block!);
    const commands = blocks.flatMap((block) =>
      block
        .replaceAll(/ *\\\n */g, ' ')
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
   * ended as by Ctrl-C. `run`: it runs to its end.
   */
  readonly kind: 'night' | 'exempt' | 'stream' | 'run';
  readonly reason: string;
  /** Words that the test adds; `{url}` is the address of the server of the section. */
  readonly append?: string;
  /** The exit code, where it is not 0. */
  readonly exit?: number;
}

/** Returns what is wrong with the rules: one without its command, or two of one command. */
export function uselessRules(sections: readonly Section[], rules: readonly Rule[]): string[] {
  const commands = sections.flatMap((section) => section.commands);
  return rules.flatMap(({ command }, at) => {
    if (!commands.includes(command)) return [`the README has no command ${command}`];
    return rules.findIndex((rule) => rule.command === command) === at ? [] : [`two rules for ${command}`];
  });
}
