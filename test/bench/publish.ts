/**
 * `npm run bench:page [-- FILE]`: takes the figures of a run, the last one when none is named, as those
 * that are told, and makes the page of them.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  figuresPath,
  performancePage,
  performancePagePath,
} from '../../deploy/performance-page.ts';
import { parseResult } from './result.ts';

const root = join(import.meta.dirname, '../..');
const [file = join(root, 'test/bench/results/bench.json')] = process.argv.slice(2);

const text = await readFile(file, 'utf8');
const page = performancePage(parseResult(text));
await writeFile(join(root, figuresPath), text);
await writeFile(join(root, performancePagePath), page);
process.stdout.write(`${figuresPath} and ${performancePagePath} are of ${file}\n`);
