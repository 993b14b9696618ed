import { execFileSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, it } from 'vitest';
import { bundledNode } from '#test/support/bundled-node.ts';
import { commandsIn, documented, documentedCommands } from '#test/support/documented-commands.ts';

const root = join(import.meta.dirname, '../..');

/** Commands that no test runs, and the equivalent that a test runs instead. */
const otherwise: Readonly<Record<string, string>> = {
  'npm ci': 'what test/support/bootstrap.mjs runs before every script',
  'npm run build': 'deploy/build.ts, run by test/contract/build.test.ts and the real tier',
  'helm install millrace deploy/chart -n millrace --create-namespace':
    'test/real/chart.test.ts upgrades to that chart, and installs the one of the release',
  'export KUBECONFIG=...': 'a placeholder; tests export what is printed in its place',
};

it('every command of the pages is typed by a test, as it stands there', () => {
  const sources = globSync('test/**/*.ts', { cwd: root }).map((path) =>
    readFileSync(join(root, path), 'utf8'),
  );
  const typed = sources.flatMap((text) =>
    [...text.matchAll(/\bdocumented\(\s*(['"`])(.+?)\1,?\s*\)/g)].map(([, , command]) => command),
  );
  const tried = new Set([...typed, ...Object.keys(otherwise)]);
  const all = [...documentedCommands().keys()];
  expect(all.filter((command) => !tried.has(command))).toEqual([]);
  expect(Object.keys(otherwise).filter((command) => !documentedCommands().has(command))).toEqual(
    [],
  );
});

/** Commands for developers, by their beginnings, and the proof that each one runs. */
const ofDevelopers: Readonly<Record<string, string>> = {
  'npm run demo': 'test/support/demo-picture.test.ts draws what it prints',
  'npm test': 'runs this test',
  'npm run test:all': 'a full run',
  'npm run test:real': 'a full run',
  'npx vitest run': 'what `npm test` starts',
  'MILLRACE_TEST_NODES=1000 npx vitest run': 'the same',
  'npm run mutants': 'test/mutants/mutants.test.ts',
  'npm run simulate': 'test/simulation/simulation.test.ts',
  'npm run simulate:keep': 'test/simulation/kept-scenarios.test.ts',
};

/** Lines that look like commands outside of blocks of `sh` or `console`. */
function untypedLinesOf(page: string): readonly string[] {
  const text = readFileSync(join(root, page), 'utf8');
  const isCommand = /^(?:\$ )?(?:[A-Z_]+=\S+ )?(?:npx|npm|kubectl|helm|node|millrace) /;
  const [prose = '', ...fences] = text.split(/^```/m);
  const inFences = fences.flatMap((fence, index) => {
    const isOpening = index % 2 === 0;
    return isOpening && !/^(?:sh|console)\n/.test(fence) ? fence.split('\n').slice(1) : [];
  });
  const around = [prose, ...fences.filter((_, index) => index % 2 === 1)].join('\n').split('\n');
  const indented = around.flatMap((line) => (/^ {4}\S/.test(line) ? [line.trim()] : []));
  return [...inFences, ...indented].filter((line) => isCommand.test(line));
}

it('no command stands in a block that no test looks into, but those of the suites', () => {
  // Generated from the declarations of the verbs. Their own test parses the examples.
  const exclude = /(^|\/)(node_modules|dist)$|^docs\/reference\/commands\.md$/;
  const pages = globSync('**/*.md', { cwd: root, exclude: (path) => exclude.test(path) });
  const found = pages.flatMap((page) => untypedLinesOf(page));
  const known = Object.keys(ofDevelopers);
  const isOf = (line: string, command: string) => `${line} `.startsWith(`${command} `);
  expect(found.filter((line) => !known.some((command) => isOf(line, command)))).toEqual([]);
  expect(known.filter((command) => !found.some((line) => isOf(line, command)))).toEqual([]);
});

it('comments, output and other languages are no commands', () => {
  const text = [
    '```sh',
    'npm test          # every suite',
    '',
    'echo a#b',
    '```',
    '```console',
    '$ kubectl get jobs',
    'NAME  STATUS',
    '```',
    '```yaml',
    'kind: Job',
    '```',
  ].join('\n');
  expect([...commandsIn(text).values()]).toEqual(['npm test', 'echo a#b', 'kubectl get jobs']);
});

it('a block with indented lines is one script', () => {
  const text = ['```sh', 'for name in a b; do', '  echo "$name"', 'done', '```'].join('\n');
  expect([...commandsIn(text)]).toEqual([
    ['for name in a b; do', 'for name in a b; do\n  echo "$name"\ndone\n'],
  ]);
});

it('a command that no page has is refused', () => {
  expect(() => documented(['kubectl', 'delete', 'everything'].join(' '))).toThrow(
    'no page has the command: kubectl delete everything',
  );
});

it('every page starts a process with the Node that npm brought, which the one on PATH may be too old for', () => {
  const pages = globSync(['*.md', 'docs/**/*.md', 'functions/*/main.ts'], { cwd: root });
  const wrong = pages.flatMap((page) =>
    [
      ...readFileSync(join(root, page), 'utf8').matchAll(
        /(?<!npx )\bnode (?:functions|test)\/\S+/g,
      ),
    ].map(([command]) => `${page}: ${command}`),
  );
  expect(wrong).toEqual([]);
  expect(pages.length).toBeGreaterThan(20);
});

it('`npx node` is the Node that npm brought, whatever Node is on PATH', () => {
  const outside = (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter);
  const script = 'npx node functions/bridge/main.ts --help && npx node -p process.versions.node';
  const env = { ...process.env, PATH: outside };
  const printed = execFileSync('sh', ['-c', script], { cwd: root, env, encoding: 'utf8' });
  expect(printed).toMatch(/^bridge .*configured by its environment/);
  expect(printed.trim().split('\n').at(-1)).toBe(bundledNode);
});
