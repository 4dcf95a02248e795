/**
 * Lets Node run the sources as they are: a specifier that ends in `?text` gives the file's text.
 *
 * Loaded with `--import`, in the main thread and, since workers inherit it, in every worker. The bundle
 * needs none of this: build.ts inlines the same files.
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
