/** `millrace apply` and `delete`, as processes against a `millrace up`. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { resources } from '#shared/domain/resources.ts';
import { type RunningUp, runningUp } from '../testing/running-up.ts';

// A whole cluster in its own process, on a possibly busy machine.
const slow = 120_000;

let up: RunningUp;
beforeAll(async () => {
  up = await runningUp('--speed', '20');
}, slow);
afterAll(() => up[Symbol.asyncDispose]());

describe('manifests', () => {
  let folder: string;
  const file = () => join(folder, 'flow.yaml');
  const write = (more: object = {}) => {
    const step = {
      name: 'a',
      jobTemplate: {
        template: {
          spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.28' }] },
        },
      },
    };
    const flow = {
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobFlow',
      metadata: { name: 'written' },
      spec: { suspend: true, flows: [step], ...more },
    };
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'beside' }, data: {} };
    return writeFile(file(), `${stringify(flow)}---\n${stringify(map)}`);
  };
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'millrace-manifests-'));
  });
  afterAll(() => rm(folder, { recursive: true }));
  const flow = 'jobflow.api.practice.com/written';

  test(
    '`apply` says what it did, and `delete` waits until it is gone',
    { timeout: slow },
    async () => {
      await write();
      const applied = (...args: readonly string[]) => up.finished('apply', '-f', file(), ...args);
      const dry = await applied('--dry-run');
      expect(dry.stdout, dry.stderr).toBe(
        `${flow} created (dry run)\nconfigmap/beside created (dry run)\n`,
      );
      expect((await applied()).stdout).toBe(`${flow} created\nconfigmap/beside created\n`);
      const again = await applied('--error-unchanged');
      expect(again).toMatchObject({
        code: 3,
        stdout: `${flow} unchanged\nconfigmap/beside unchanged\n`,
      });
      await write({ parallelism: 2 });
      const changed = await applied('--error-unchanged');
      expect(changed).toMatchObject({ code: 0 });
      expect(changed.stdout).toBe(`${flow} configured\nconfigmap/beside unchanged\n`);
      const deleted = await up.finished('delete', '-f', folder);
      expect(deleted).toMatchObject({ code: 0 });
      expect(deleted.stdout).toBe(`configmap/beside deleted\n${flow} deleted\n`);
      const name = { namespace: 'default', name: 'written' };
      expect(await up.client.get(resources.JobFlow, name)).toBeUndefined();
      const gone = await up.finished('delete', '-f', folder);
      expect(gone).toMatchObject({ code: 4 });
      expect(gone.stderr).toContain(`${flow}: not found`);
      expect((await up.finished('delete', '-f', folder, '--ignore-not-found')).code).toBe(0);
    },
  );

  test('`delete` deletes by name, and nothing if a name is wrong', { timeout: slow }, async () => {
    for (const name of ['first', 'second']) await up.createFlow(name, { a: { sh: 'sleep 1' } });
    const wrong = await up.finished('delete', 'jobflow', 'first', 'third');
    expect(wrong).toMatchObject({ code: 4, stdout: '' });
    expect((await up.finished('delete', 'first/a')).code).toBe(2);
    expect((await up.finished('delete', 'jobflows')).stderr).toContain(
      'a kind alone deletes nothing',
    );
    expect((await up.finished('delete')).stderr).toContain('name objects, or manifests');
    const deleted = await up.finished('delete', 'first', 'jobflow/second');
    expect(deleted, deleted.stderr).toMatchObject({
      code: 0,
      stdout: `${['first', 'second'].map((name) => `jobflow.api.practice.com/${name} deleted`).join('\n')}\n`,
    });
    const again = await up.finished('delete', 'jobflow', 'first', '--ignore-not-found');
    expect(again).toMatchObject({ code: 0, stdout: '' });
  });

  test('`apply` warns once where the webhook says the same', { timeout: slow }, async () => {
    const template = {
      spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'busybox:1.28' }] },
    };
    const gate = { name: 'a', jobTemplate: { suspend: true, template } };
    await write({ flows: [gate] });
    const { code, stderr } = await up.finished('apply', '-f', file(), '--dry-run');
    expect(code).toBe(0);
    expect(stderr.match(/created suspended/g)).toHaveLength(1);
    const restarting = { spec: { ...template.spec, restartPolicy: 'OnFailure' } };
    await writeFile(
      file(),
      stringify({
        ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'DaemonJob' },
        ...{ metadata: { name: 'restarting' }, spec: { template: restarting } },
      }),
    );
    const remarked = await up.finished('apply', '-f', file(), '--dry-run');
    expect(remarked.stderr.match(/becomes Never/g)).toHaveLength(1);
  });

  test('`apply` applies nothing where one of them is wrong', { timeout: slow }, async () => {
    await write({ parallelism: 0 });
    const { code, stdout, stderr } = await up.finished('apply', '-f', file());
    expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
    expect(stderr).toMatch(/flow\.yaml:\d+:\d+: error: JobFlow\/written: .*parallelism/);
    expect(stderr).toContain('nothing was applied');
  });

  test(
    'an object with generateName is drawn, and created by kubectl',
    { timeout: slow },
    async () => {
      const template = { spec: { containers: [{ name: 'main', image: 'busybox' }] } };
      const generated = {
        ...{ apiVersion: 'api.practice.com/v1alpha1', kind: 'JobFlow' },
        ...{ metadata: { generateName: 'gen-' } },
        spec: { flows: [{ name: 'a', jobTemplate: { template } }] },
      };
      const path = join(folder, 'generated.json');
      await writeFile(path, JSON.stringify(generated));
      expect((await up.finished('graph', '-f', path)).stdout).toContain('gen-xxxxx');
      for (const verb of ['apply', 'delete']) {
        const refused = await up.finished(verb, '-f', path);
        expect(refused).toMatchObject({ code: 5, stdout: '' });
        expect(refused.stderr).toContain('metadata.generateName names no object');
        expect(refused.stderr).toMatch(/next: kubectl.* create -f /);
      }
    },
  );

  test('`apply` names the namespace that is not there', { timeout: slow }, async () => {
    await write();
    const { code, stdout, stderr } = await up.finished('apply', '-f', file(), '-n', 'team-x');
    expect([code, stdout]).toEqual([4, '']);
    expect(stderr).toMatch(
      /^error: jobflow\S+written: there is no namespace team-x\nnext: kubectl .*create namespace team-x\n$/,
    );
  });

  test('`apply` names what the cluster does not serve', { timeout: slow }, async () => {
    await writeFile(
      file(),
      stringify({ apiVersion: 'x.example.com/v1', kind: 'X', metadata: { name: 'x' } }),
    );
    const { code, stderr } = await up.finished('apply', '-f', file());
    expect(code).toBe(5);
    expect(stderr).toContain('x.example.com/v1 X is not served by this cluster');
  });
});
