/**
 * `npm run bench:page [-- FILE]`: publishes the figures of a run, by default the last one, and makes
 * their page. If it did not run flows or DaemonJobs, the earlier figures for them stay.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  figuresPath,
  performancePage,
  performancePagePath,
} from '../../deploy/performance-page.ts';
import { parseResult, mergedWith } from './result.ts';

const root = join(import.meta.dirname, '../..');
const [file = join(root, 'test/bench/results/bench.json')] = process.argv.slice(2);

const published = join(root, figuresPath);
const before = existsSync(published) ? parseResult(await readFile(published, 'utf8')) : undefined;
const result = mergedWith(parseResult(await readFile(file, 'utf8')), before);
await writeFile(published, `${JSON.stringify(result, null, 2)}\n`);
await writeFile(join(root, performancePagePath), performancePage(result));
process.stdout.write(`${figuresPath} and ${performancePagePath} are of ${file}\n`);
