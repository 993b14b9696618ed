import { expect, it } from 'vitest';
import { hintsOnAnnotations } from './annotation-size.ts';

const key = 'kubectl.kubernetes.io/last-applied-configuration';
const annotated = (annotations: Record<string, string>) => ({ metadata: { annotations } });
const hint = [expect.stringContaining('use kubectl apply --server-side')];

it('names --server-side for a copy of the manifest that finds no room, to the byte', () => {
  const room = 256 * 1024 - key.length;
  expect(hintsOnAnnotations(annotated({ [key]: 'x'.repeat(room) }))).toEqual([]);
  expect(hintsOnAnnotations(annotated({ [key]: 'x'.repeat(room + 1) }))).toEqual(hint);
  expect(hintsOnAnnotations(annotated({ [key]: 'x'.repeat(room - 2), a: 'b' }))).toEqual([]);
  expect(hintsOnAnnotations(annotated({ [key]: 'x'.repeat(room - 2), a: 'ü' }))).toEqual(hint);
});

it('says nothing of annotations that are large without such a copy, nor of none', () => {
  expect(hintsOnAnnotations(annotated({ own: 'x'.repeat(300_000) }))).toEqual([]);
  expect(hintsOnAnnotations({})).toEqual([]);
});
