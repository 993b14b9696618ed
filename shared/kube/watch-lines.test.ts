import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CutLine, LineTooLong, linesOf } from './watch-lines.ts';

async function* chunksOf(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Buffer> {
  const edges = [0, ...new Set(cuts.map((cut) => cut % (bytes.length + 1))), bytes.length].sort(
    (a, b) => a - b,
  );
  for (const [index, start] of edges.entries())
    yield bytes.subarray(start, edges[index + 1] ?? start);
}

async function collected(lines: AsyncIterable<string>): Promise<string[]> {
  const all: string[] = [];
  for await (const line of lines) all.push(line);
  return all;
}

describe('the lines of a watch', () => {
  it('are the same wherever the chunks are cut, also inside a character', async () => {
    const line = fc
      .string({ unit: 'grapheme', minLength: 1 })
      .filter((text) => !text.includes('\n'));
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.array(fc.nat()), async (lines, cuts) => {
        const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''));
        expect(await collected(linesOf(chunksOf(bytes, cuts)))).toEqual(
          lines.map((text) => Buffer.from(text).toString('utf8')),
        );
      }),
    );
  });

  it('leave out empty ones, which some servers send to keep a connection', async () => {
    expect(await collected(linesOf(chunksOf(Buffer.from('\na\n\n'), [1])))).toEqual(['a']);
  });

  it('end with a fault when the stream ends within one', async () => {
    const lines = linesOf(chunksOf(Buffer.from('{"whole":1}\n{"half":'), []));
    expect((await lines.next()).value).toBe('{"whole":1}');
    const thrown: unknown = await lines.next().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(CutLine);
    expect(String(thrown)).toBe('CutLine: the stream ended 8 bytes into a line');
  });

  it('are bounded in length', async () => {
    const lines = linesOf(chunksOf(Buffer.alloc(50, 'x'), [10, 20, 30]), 25);
    const thrown: unknown = await lines.next().catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(LineTooLong);
    expect(String(thrown)).toBe('LineTooLong: a line of more than 25 bytes');
  });

  it('may be as long as the limit', async () => {
    const lines = linesOf(chunksOf(Buffer.from(`${'x'.repeat(25)}\n`), [25]), 25);
    expect(await collected(lines)).toEqual(['x'.repeat(25)]);
  });
});
