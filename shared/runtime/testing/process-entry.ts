import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Names the folder with the processes' bundles. Unset: they start from source. */
export const processBundlesVariable = 'MILLRACE_TEST_PROCESSES';

/** The entry for `functions/NAME/main.ts`: its bundle, if there is one. */
export function entryOf(main: string): string {
  const folder = process.env[processBundlesVariable];
  if (folder === undefined) return main;
  const bundle = join(folder, `${basename(dirname(main))}.js`);
  return existsSync(bundle) ? bundle : main;
}
