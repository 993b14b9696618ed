import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../package-root.ts';
import { install } from './install.ts';

const options = { namespace: 'millrace', kubeconfig: '/none', wait: true, timeout: 1 } as const;

test.each([
  ['install.yaml', {}],
  ['install-knative.yaml', { knative: true }],
])('`install --dry-run -o yaml` prints %s without a cluster', async (file, chosen) => {
  const lines: string[] = [];
  const asked = { ...options, ...chosen, dryRun: true, output: 'yaml' } as const;
  await install(asked, (line) => lines.push(line));
  const [comment = '', ...rest] = (await readFile(join(packageRoot, 'deploy', file), 'utf8'))
    .trimEnd()
    .split('\n');
  expect(comment).toMatch(/^#/);
  expect(lines).toEqual(rest);
});

test('`install -o yaml` without --dry-run applies nothing', async () => {
  const lines: string[] = [];
  const asked = install({ ...options, output: 'yaml' }, (line) => lines.push(line));
  await expect(asked).rejects.toMatchObject({
    exitCode: 2,
    next: 'millrace install --dry-run -o yaml',
  });
  expect(lines).toEqual([]);
});
