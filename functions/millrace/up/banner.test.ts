import { expect, test } from 'vitest';
import { bannerOf, exportLine } from './banner.ts';

const plain = { colour: false, utf8: true, live: false };
const facts = {
  parts: [
    { name: 'api', place: 'embedded', where: 'http://127.0.0.1:7070' },
    { name: 'queue', place: 'external', where: 'redis://127.0.0.1:6379' },
  ],
  kubeconfig: '/state/kubeconfig',
  hasKubectl: true,
  startedInMs: 640,
} as const;

test('one line for each part, the export line, three things to try', () => {
  const lines = bannerOf(facts, plain).split('\n');
  expect(lines[0]).toMatch(/^millrace .* is up after 0\.6s$/);
  expect(lines.slice(2, 4)).toEqual([
    '  ✔ api    embedded  http://127.0.0.1:7070',
    '  ✔ queue  external  redis://127.0.0.1:6379',
  ]);
  expect(lines).toContain('export KUBECONFIG=/state/kubeconfig');
  const next = lines.slice(lines.indexOf('try next:') + 1).filter((line) => line !== '');
  expect(next).toHaveLength(3);
});

test('without kubectl it says that the own verbs suffice, and proposes only those', () => {
  const text = bannerOf({ ...facts, hasKubectl: false }, plain);
  expect(text).toContain('kubectl is not on the PATH');
  expect(text).not.toContain('  kubectl');
});

test('the export line survives a shell', () => {
  expect(exportLine('/home/a b/it’s')).toBe("export KUBECONFIG='/home/a b/it’s'");
  expect(exportLine("/a'b")).toBe(String.raw`export KUBECONFIG='/a'\''b'`);
});
