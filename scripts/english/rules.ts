/** Runs textlint with the rules of `scripts/english.json`: the length of sentences and the glossary. */
import { TextlintKernel, type TextlintKernelOptions, type TextlintRuleReporter } from '@textlint/kernel';
import markdown from '@textlint/textlint-plugin-markdown';
import terminology from 'textlint-rule-terminology';

export interface Rules {
  /** Largest number of words in a sentence. */
  readonly words: number;
  /** `avoid` holds regular expressions that match whole words in any case. */
  readonly glossary: readonly { readonly avoid: readonly string[]; readonly write: string }[];
}

export interface Problem {
  /** Line number, from 1. */
  readonly line: number;
  readonly rule: 'sentence' | 'glossary';
  readonly message: string;
}

/** Returns the problems of a Markdown text in the order of its lines. Tables and code are not checked. */
export async function problemsOf(text: string, rules: Rules): Promise<Problem[]> {
  const { messages } = await new TextlintKernel().lintText(text, optionsOf(rules));
  return messages.map(({ ruleId, line, message }) => ({ line, rule: ruleId as Problem['rule'], message }));
}

function optionsOf(rules: Rules): TextlintKernelOptions {
  const terms = rules.glossary.flatMap(({ avoid, write }) =>
    avoid.map((pattern) => [`(?<![\\w-])${pattern}(?![\\w-])`, write]),
  );
  return {
    ext: '.md',
    plugins: [{ pluginId: 'markdown', plugin: markdown.default }],
    rules: [
      { ruleId: 'sentence', rule: sentenceLength, options: { words: rules.words } },
      {
        ruleId: 'glossary',
        rule: terminology,
        options: { defaultTerms: false, terms, skip: ['Table'] },
      },
    ],
  };
}

/** Reports sentences with more than `words` words. Inline code counts as one word. */
const sentenceLength: TextlintRuleReporter = (context, options) => {
  const { Syntax, RuleError, report, getSource, locator } = context;
  return {
    [Syntax.Paragraph](paragraph) {
      const text = masked(getSource(paragraph), paragraph, paragraph.range[0]);
      let start = 0;
      for (const sentence of text.split(SENTENCE_END)) {
        const count = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
        if (count > Number(options?.words))
          report(paragraph, new RuleError(`${count} words`, { padding: locator.at(start) }));
        start += sentence.length;
      }
    },
  };
};

/** Matches the position before a sentence's first character. White space belongs to the previous sentence. */
const SENTENCE_END = /(?<=(?<!\b(?:e\.g|i\.e|etc|cf|vs))[.!?]["')*_]*\s+)(?=\S)/;

interface Node {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly children?: readonly Node[];
}

/** Returns the text with `X` for inline code and spaces for addresses and markup, so that all indices stay the same. */
function masked(text: string, node: Node, from: number): string {
  const [start, end] = [node.range[0] - from, node.range[1] - from];
  const fill = (first: number, last: number, by: string) =>
    text.slice(0, first) + by.repeat(last - first) + text.slice(last);
  if (node.type === 'Code') return fill(start, end, 'X');
  if (node.type === 'Html' || node.type === 'Image') return fill(start, end, ' ');
  if (node.type === 'Link') text = fill((node.children?.at(-1)?.range[1] ?? node.range[0]) - from, end, ' ');
  return (node.children ?? []).reduce((result, child) => masked(result, child, from), text);
}
