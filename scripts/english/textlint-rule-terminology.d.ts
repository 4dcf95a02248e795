/** Types for the package, which has none. */
declare module 'textlint-rule-terminology' {
  import type { TextlintKernelOptions } from '@textlint/kernel';

  const rule: NonNullable<TextlintKernelOptions['rules']>[number]['rule'];
  export default rule;
}
