/**
 * Lets Node run the sources unbundled: a specifier that ends in `?text` resolves to the file's text.
 *
 * Load it with `--import`. Workers inherit the option, so it also applies to every worker. The bundle does not need
 * it: build.ts inlines the same files.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

registerHooks({
  load(url, context, nextLoad) {
    if (!url.endsWith('?text')) return nextLoad(url, context);
    const text = readFileSync(new URL(url.slice(0, -'?text'.length)), 'utf8');
    return { format: 'module', source: `export default ${JSON.stringify(text)};`, shortCircuit: true };
  },
});
