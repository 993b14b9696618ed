import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { ObjectStore } from '../store/object-store.ts';
import type { ControllerApi } from './controller.ts';
import { asPod, type Container, type Pod, type PodSpec } from './objects/pod.ts';
import type { ContainerRun } from './pod/container-runtime.ts';
import { withFolders } from './process/pod-folders.ts';
import { ProcessRuntime } from './process-runtime.ts';

const runtimes: ProcessRuntime[] = [];
const folders: string[] = [];

afterEach(() => {
  for (const runtime of runtimes.splice(0)) runtime.close();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function type(plural: string, kind: string) {
  const names = { singular: kind, listKind: `${kind}List`, shortNames: [], categories: [] };
  return {
    ...{ group: '', version: 'v1', plural, kind, namespaced: true, ...names },
    ...{ subresources: [], columns: [], row: () => [], selectableFields: [] },
    ...{ hasGeneration: false, isBuiltIn: true },
  };
}

const types = { configmaps: type('configmaps', 'ConfigMap'), secrets: type('secrets', 'Secret') };

function world(objects: readonly object[] = []) {
  const store = new ObjectStore(10);
  for (const object of objects as readonly KubeObject[]) {
    store.put(object.kind === 'Secret' ? types.secrets : types.configmaps, object);
  }
  const api: ControllerApi = {
    store,
    types: {
      byPath: (_group, _version, plural) => types[plural as keyof typeof types],
      byKind: () => undefined,
      all: () => Object.values(types),
    },
    handleNow: () => {
      throw new Error('a runtime writes nothing');
    },
  };
  const folder = mkdtempSync(join(tmpdir(), 'millrace-runtime-'));
  folders.push(folder);
  const environment = { PATH: '/usr/bin:/bin' };
  const runtime = new ProcessRuntime({ api, clock: { now: () => 5_000 }, folder, environment });
  runtimes.push(runtime);
  return { runtime, folder };
}

function pod(container: Partial<Container>, spec: Partial<PodSpec> = {}): Pod {
  const metadata = { name: 'worker', namespace: 'default', uid: 'uid-1', labels: { step: 'one' } };
  const containers = [{ name: 'main', ...container }];
  const object = { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers, ...spec } };
  return asPod(object as unknown as KubeObject);
}

const printed = (runtime: ProcessRuntime, run: ContainerRun) =>
  runtime.logs(run)?.map(({ text }) => text);

const sh = (script: string) => ({ command: ['sh', '-c', script] });

const runOf = (of: Pod, index = 0): ContainerRun => ({
  pod: of,
  container: of.spec.containers[index]!,
  isInit: false,
  restart: 0,
});

async function ended(runtime: ProcessRuntime, run: ContainerRun) {
  await vi.waitFor(() => expect(runtime.look(run, 0, 9_000).kind).toBe('ended'), 5_000);
  return runtime.look(run, 0, 9_000);
}

describe('a container as a process', () => {
  it('runs its command and ends with its exit code at the time of the clock', async () => {
    const { runtime } = world();
    const run = runOf(pod(sh('echo out; echo err >&2; exit 3')));
    const over: string[] = [];
    runtime.onEnd(({ metadata }) => over.push(metadata.name));
    expect(runtime.start(run)).toBeUndefined();
    expect(await ended(runtime, run)).toEqual({ kind: 'ended', exitCode: 3, finishedMs: 5_000 });
    expect(runtime.logs(run)?.toSorted((a, b) => (a.text < b.text ? -1 : 1))).toEqual([
      { atMs: 5_000, text: 'err' },
      { atMs: 5_000, text: 'out' },
    ]);
    expect(over).toEqual(['worker']);
  });

  it('cannot start without a command', () => {
    const { runtime } = world();
    const failure = runtime.start(runOf(pod({ image: 'nginx' })));
    expect(failure).toMatchObject({ reason: 'CreateContainerError' });
    expect(failure?.message).toContain('nginx');
  });

  it('ends with 128 when there is no such program', async () => {
    const { runtime } = world();
    const run = runOf(pod({ command: ['no-such-program'] }));
    runtime.start(run);
    expect(await ended(runtime, run)).toMatchObject({ exitCode: 128 });
    expect(printed(runtime, run)).toEqual([expect.stringContaining('ENOENT')]);
  });

  it('ends with 137 when its process belonged to a sandbox that is gone', () => {
    const { runtime } = world();
    const state = runtime.look(runOf(pod(sh('sleep 60'))), 0, 9_000);
    expect(state).toEqual({ kind: 'ended', exitCode: 137, finishedMs: 9_000 });
  });

  it('is asked to stop first, and killed with its children when the grace is over', async () => {
    const { runtime } = world();
    const run = runOf(pod(sh('trap "" TERM; echo ready; while :; do sleep 0.05; done')));
    runtime.start(run);
    await vi.waitFor(() => expect(printed(runtime, run)).toEqual(['ready']), 5_000);
    runtime.stop(run, 1_000, 9_000);
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(runtime.look(run, 0, 9_000)).toEqual({ kind: 'running', lookAgainMs: 10_000 });
    runtime.stop(run, 1_000, 10_000);
    expect(await ended(runtime, run)).toMatchObject({ exitCode: 137 });
  });

  it('may use its grace to end in its own way', async () => {
    const { runtime } = world();
    const run = runOf(pod(sh('trap "echo bye; exit 7" TERM; echo ready; sleep 60 & wait')));
    runtime.start(run);
    await vi.waitFor(() => expect(printed(runtime, run)).toEqual(['ready']), 5_000);
    runtime.stop(run, 1_000, 9_000);
    expect(await ended(runtime, run)).toMatchObject({ exitCode: 7 });
    expect(printed(runtime, run)).toEqual(['ready', 'bye']);
  });
});

describe('the environment of a process', () => {
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'settings', namespace: 'default', uid: 'uid-2' },
    data: { COLOUR: 'blue', SIZE: '7' },
  };
  const credentials = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'credentials', namespace: 'default', uid: 'uid-3' },
    data: { password: Buffer.from('s3cret').toString('base64') },
  };
  const fromConfigMap = (key: string, optional = false) => ({
    valueFrom: { configMapKeyRef: { name: 'settings', key, optional } },
  });

  it('has values, ConfigMaps, Secrets and fields of the Pod itself', async () => {
    const { runtime } = world([settings, credentials]);
    const run = runOf(
      pod({
        ...sh('echo "$ONE $TWO $C_COLOUR $SIZE $PASSWORD $STEP $ME"'),
        envFrom: [{ prefix: 'C_', configMapRef: { name: 'settings' } }],
        env: [
          { name: 'ONE', value: '1' },
          { name: 'TWO', value: '$(ONE)2$(UNKNOWN)' },
          { name: 'SIZE', ...fromConfigMap('SIZE') },
          {
            name: 'PASSWORD',
            valueFrom: { secretKeyRef: { name: 'credentials', key: 'password' } },
          },
          { name: 'STEP', valueFrom: { fieldRef: { fieldPath: "metadata.labels['step']" } } },
          { name: 'ME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
          { name: 'NOT_THERE', ...fromConfigMap('nothing', true) },
        ],
      }),
    );
    expect(runtime.start(run)).toBeUndefined();
    await ended(runtime, run);
    expect(printed(runtime, run)).toEqual(['1 12$(UNKNOWN) blue 7 s3cret one worker']);
  });

  it.each([
    ['a ConfigMap', { configMapKeyRef: { name: 'none', key: 'a' } }, 'configmap "none" not found'],
    ['a key', { configMapKeyRef: { name: 'settings', key: 'a' } }, "couldn't find key a"],
    ['a Secret', { secretKeyRef: { name: 'none', key: 'a' } }, 'secret "none" not found'],
  ])('is not to be had while %s is missing', (_what, valueFrom, text) => {
    const { runtime } = world([settings]);
    const failure = runtime.start(runOf(pod({ ...sh('true'), env: [{ name: 'X', valueFrom }] })));
    expect(failure?.reason).toBe('CreateContainerConfigError');
    expect(failure?.message).toContain(text);
  });
});

describe('the volumes of a process', () => {
  const mount = (mountPath: string) => ({ volumeMounts: [{ name: 'shared', mountPath }] });
  const shared = { volumes: [{ name: 'shared', emptyDir: {} }] };

  it('are shared by the containers of a Pod, also by their absolute path', async () => {
    const { runtime, folder } = world();
    const writer = { name: 'writer', ...sh('echo hello > /data/x'), ...mount('/data') };
    const reader = { name: 'reader', ...sh('cat input/x "$F"'), ...mount('/input') };
    const env = [{ name: 'F', value: '/input/x' }];
    const of = pod({}, { containers: [writer, { ...reader, env }], ...shared });
    runtime.start(runOf(of, 0));
    expect(await ended(runtime, runOf(of, 0))).toMatchObject({ exitCode: 0 });
    runtime.start(runOf(of, 1));
    await ended(runtime, runOf(of, 1));
    expect(printed(runtime, runOf(of, 1))).toEqual(['hello', 'hello']);
    expect(existsSync(join(folder, 'pods', 'uid-1'))).toBe(true);
    runtime.forget('uid-1');
    expect(existsSync(join(folder, 'pods', 'uid-1'))).toBe(false);
  });

  it('of the host are that folder itself', async () => {
    const { runtime, folder } = world();
    const volumes = [{ name: 'shared', hostPath: { path: join(folder, 'host') } }];
    const run = runOf(pod({ ...sh('echo kept > /out/file'), ...mount('/out') }, { volumes }));
    runtime.start(run);
    await ended(runtime, run);
    runtime.forget('uid-1');
    expect(existsSync(join(folder, 'host', 'file'))).toBe(true);
  });

  it('of an unknown kind are refused', () => {
    const { runtime } = world();
    const volumes = [{ name: 'shared', nfs: { server: 'x', path: '/' } }];
    const failure = runtime.start(runOf(pod({ ...sh('true'), ...mount('/out') }, { volumes })));
    expect(failure).toMatchObject({ reason: 'CreateContainerConfigError' });
  });

  it.each([
    ['cat /data/x', 'cat /v/x'],
    ['cat "/data"', 'cat "/v"'],
    ['/database/x', '/database/x'],
    ['/my/data/x', '/my/data/x'],
    ['/data/sub/x:/data', '/w/x:/v'],
    ['--out=/data', '--out=/v'],
  ])('replace their mount path in %j', (text, expected) => {
    const mounts = [
      { mountPath: '/data', folder: '/v' },
      { mountPath: '/data/sub', folder: '/w' },
      { mountPath: '/v', folder: '/never-twice' },
    ];
    expect(withFolders(text, mounts)).toBe(expected);
  });
});

describe('a path in a Pod', () => {
  const claim = (claimName: string) => ({
    volumes: [{ name: 'v', persistentVolumeClaim: { claimName } }],
  });
  const mounted = (mount: object) => ({ volumeMounts: [{ name: 'v', mountPath: '/v', ...mount }] });

  it.each([
    ['a subPath', { mountPath: '/v', subPath: '../../../outside' }, {}],
    ['a mountPath', { mountPath: '../../../../outside' }, {}],
    ['a workingDir', {}, { workingDir: '../../../../outside' }],
  ])('as %s stays in the folder of the run', (_what, mount, more) => {
    const { runtime, folder } = world();
    const fields = { ...sh('true'), ...mounted(mount), ...more } as Partial<Container>;
    const run = runOf(pod(fields, claim('data')));
    expect(runtime.start(run)).toBeUndefined();
    expect(existsSync(join(folder, 'outside'))).toBe(false);
    expect(existsSync(join(folder, '..', 'outside'))).toBe(false);
    expect(existsSync(join(folder, 'claims', 'outside'))).toBe(false);
  });

  it.each(['../../outside', '..', 'a/b', ''])('as the name of a claim is none: %j', (claimName) => {
    const { runtime } = world();
    const fields = { ...sh('true'), ...mounted({}) } as Partial<Container>;
    expect(runtime.start(runOf(pod(fields, claim(claimName) as Partial<PodSpec>)))).toEqual({
      reason: 'CreateContainerConfigError',
      message: `persistentvolumeclaim "${claimName}" not found`,
    });
  });
});
