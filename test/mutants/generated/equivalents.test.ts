import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { enumerate } from './candidates.ts';
import { equivalents, markOf } from './equivalents.ts';

const root = join(import.meta.dirname, '../../..');
const sourceOf = (file: string) => readFileSync(join(root, file), 'utf8');
const marked = new Set(equivalents.map(({ file }) => file));
const rooms = [{ name: 'marked', files: [...marked] }];
const { candidates } = await enumerate(root, rooms);

describe('the marks of equivalent mutants', () => {
  it.each(equivalents)('find their text exactly once: $file: $find', ({ file, find }) => {
    expect(sourceOf(file).split(find)).toHaveLength(2);
  });

  it('are of changes that can be drawn, one each', () => {
    const found = candidates.map((candidate) => markOf(candidate, sourceOf(candidate.file)));
    expect(equivalents.filter((mark) => !found.includes(mark))).toEqual([]);
  });

  it('say why', () => {
    expect(equivalents.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});
