/** Publishes figures at once, beside those of other runs. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  figuresPath,
  performancePage,
  performancePagePath,
} from '../../deploy/performance-page.ts';
import { type BenchResult, parseResult } from './result.ts';

const root = join(import.meta.dirname, '../..');

export async function publishBeside(
  figures: Partial<Pick<BenchResult, 'costs' | 'neighbours' | 'journal'>>,
): Promise<void> {
  const published = join(root, figuresPath);
  const result = { ...parseResult(await readFile(published, 'utf8')), ...figures };
  await writeFile(published, `${JSON.stringify(result, null, 2)}\n`);
  await writeFile(join(root, performancePagePath), performancePage(result));
}
