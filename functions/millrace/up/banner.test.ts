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

test('one line for each part, the export line, what to try, and how it ends', () => {
  const lines = bannerOf(facts, plain).split('\n');
  expect(lines[0]).toMatch(/^millrace .* is up after 0\.6s$/);
  expect(lines.slice(2, 4)).toEqual([
    '  ✔ api    embedded  http://127.0.0.1:7070',
    '  ✔ queue  external  redis://127.0.0.1:6379',
  ]);
  const second = lines.indexOf('in a second terminal:');
  expect(lines[second + 1]).toBe('  export KUBECONFIG=/state/kubeconfig');
  expect(lines.slice(second + 2)).toEqual([
    '  npx millrace demo',
    '  kubectl apply -f deploy/examples/hello.yaml',
    '  kubectl get mjf -w',
    '  kubectl explain jobflow.spec.flows',
    '',
    'Ctrl-C ends it',
    '',
  ]);
});

test('nothing but what is to be copied is wider than the terminal', () => {
  const kubeconfig = `/home/${'long/'.repeat(20)}kubeconfig`;
  const where = 'https://127.0.0.1:7070  Kubernetes API, objects kept in /var/lib/some/folder';
  const api = { name: 'api', place: 'embedded', where } as const;
  const lines = bannerOf({ ...facts, kubeconfig, parts: [api] }, plain, 60).split('\n');
  expect(lines.filter((line) => line.length > 60)).toEqual([
    expect.stringContaining(`KUBECONFIG=${kubeconfig}`),
  ]);
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
