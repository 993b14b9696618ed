import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Names the folder with bundles of the processes. Not set: they start from their sources. */
export const processBundlesVariable = 'MILLRACE_TEST_PROCESSES';

/** What starts the process of this `functions/NAME/main.ts`: its bundle where there is one. */
export function entryOf(main: string): string {
  const folder = process.env[processBundlesVariable];
  if (folder === undefined) return main;
  const bundle = join(folder, `${basename(dirname(main))}.js`);
  return existsSync(bundle) ? bundle : main;
}
