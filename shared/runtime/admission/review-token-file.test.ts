import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openReviewTokens, type ReviewTokenFile } from './review-token-file.ts';

const [old, next] = ['a'.repeat(32), 'b'.repeat(64)];
const logger = { info: () => undefined, warn: () => undefined };
let folder: string;
let tokens: ReviewTokenFile | undefined;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-token-'));
});
afterEach(async () => {
  tokens?.close();
  tokens = undefined;
  await rm(folder, { recursive: true });
});

const fileWith = async (text: string): Promise<string> => {
  const file = join(folder, 'token');
  await writeFile(file, text);
  return file;
};

it('takes each token of the file, and those of the file that replaces it', async () => {
  const file = await fileWith(`${old}\n`);
  const opened = (tokens = await openReviewTokens(file, logger, 10));
  expect([opened.accepts(old), opened.accepts(next)]).toEqual([true, false]);
  await writeFile(file, `${next} ${old}`);
  await expect.poll(() => opened.accepts(next)).toBe(true);
  expect(opened.accepts(old)).toBe(true);
});

it('keeps the tokens while the file holds none', async () => {
  const warned: unknown[] = [];
  const file = await fileWith(old);
  const noticing = { ...logger, warn: (fields: unknown) => void warned.push(fields) };
  const opened = (tokens = await openReviewTokens(file, noticing, 10));
  await writeFile(file, 'short');
  await expect.poll(() => warned.length).toBeGreaterThan(0);
  expect(opened.accepts(old)).toBe(true);
});

it.each(['', 'short', `${old} UPPER${old}`, 'a/'.repeat(32)])(
  'does not open a file that holds %j',
  async (text) => {
    const file = await fileWith(text);
    await expect(openReviewTokens(file, logger)).rejects.toMatchObject({
      code: 'MR_REVIEW_TOKEN_INVALID',
      fields: { file },
    });
  },
);

it('does not open a file that is not there', async () => {
  await expect(openReviewTokens(join(folder, 'none'), logger)).rejects.toMatchObject({
    code: 'MR_REVIEW_TOKEN_INVALID',
  });
});
