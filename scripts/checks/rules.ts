/** Checks the rules of `contract/rules`: their numbers, their tests, and the error codes that they name. */
import type { Facts } from '../contract-facts.ts';

/** Returns the rules in order. */
export function ruleNames(text: string): string[] {
  return [...text.matchAll(/^(?:- )?\*\*([A-Z]{3}-\d\d|LAW)\*\*/gm)].map(([, name]) => name!);
}

/** Checks that the table of `contract/README.md` has every chapter, with the letters of its rules. */
export function checkChapters({ page, chapters }: Facts): string[] {
  const rows = [...page.matchAll(/^\| ([A-Z]{3}) +\| \[(\w+)\]\(rules\/\2\.md\)/gm)];
  const listed = new Map(rows.map(([, letters, name]) => [name!, letters!]));
  return [...chapters].flatMap(([name, text]) => {
    const file = `contract/rules/${name}.md`;
    const letters = listed.get(name);
    if (letters === undefined && !page.includes(`](rules/${name}.md)`))
      return [`${file} is not in contract/README.md`];
    return ruleNames(text)
      .filter((rule) => !rule.startsWith(`${letters}-`))
      .map((rule) => `${file} has ${rule}, and contract/README.md names ${letters} for it`);
  });
}

/** Checks that the numbers of each prefix are consecutive, so that none is missing or repeated. */
export function checkNumbers(rules: readonly string[]): string[] {
  const next = new Map<string, number>();
  return rules.flatMap((rule) => {
    const [letters = '', digits] = rule.split('-');
    if (digits === undefined) return [];
    const wanted = next.get(letters) ?? 1;
    next.set(letters, Number(digits) + 1);
    return Number(digits) === wanted ? [] : [`${rule} stands where number ${wanted} is due`];
  });
}

export function checkProofs(rules: readonly string[], facts: Facts): string[] {
  const proved = new Set(facts.proofs.flatMap((proof) => proof.rules));
  return [
    ...rules.filter((rule) => !proved.has(rule)).map((rule) => `${rule} has no case and no scenario`),
    ...facts.proofs.flatMap((proof) =>
      proof.rules
        .filter((rule) => !rules.includes(rule))
        .map((rule) => `${proof.where} names ${rule}, which is no rule`),
    ),
    ...facts.proofs
      .filter((proof) => proof.rules.length === 0)
      .map((proof) => `${proof.where} names no rule`),
  ];
}

/** Checks that a rule names every code of the vocabulary, directly or by a status of its own. */
export function checkCodes(
  text: string,
  errors: Readonly<Record<string, { readonly status: number }>>,
): string[] {
  const statuses = Object.values(errors).map((error) => error.status);
  const byStatus = (status: number): boolean =>
    statuses.filter((one) => one === status).length === 1 && new RegExp(`\\b${status}\\b`).test(text);
  return Object.entries(errors)
    .filter(([code, { status }]) => !text.includes(`\`${code}\``) && !byStatus(status))
    .map(([code]) => `vocabulary.json has the code ${code}, which no rule names`);
}
