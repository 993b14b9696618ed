/**
 * `npm run bench:page [-- FILE]`: takes the figures of a run, the last one when none is named, as those
 * that are told, and makes the page of them. Of flows or DaemonJobs that it did not run, those of the run
 * before stay.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  figuresPath,
  performancePage,
  performancePagePath,
} from '../../deploy/performance-page.ts';
import { parseResult, toldAfter } from './result.ts';

const root = join(import.meta.dirname, '../..');
const [file = join(root, 'test/bench/results/bench.json')] = process.argv.slice(2);

const published = join(root, figuresPath);
const before = existsSync(published) ? parseResult(await readFile(published, 'utf8')) : undefined;
const told = toldAfter(parseResult(await readFile(file, 'utf8')), before);
await writeFile(published, `${JSON.stringify(told, null, 2)}\n`);
await writeFile(join(root, performancePagePath), performancePage(told));
process.stdout.write(`${figuresPath} and ${performancePagePath} are of ${file}\n`);
