/**
 * The real kubectl against a sandbox that listens. It prints the same as on the real API server,
 * command by command. Differences are listed at the end.
 */
import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { installCrds } from '#test/support/cluster-parts.ts';
import { type Kubectl, kubectlOrThrow, kubectlWith } from '#test/support/control-plane/kubectl.ts';
import { transcript } from '#test/support/kubectl-parity.ts';
import { type ListeningSandbox, startListeningSandbox } from '#test/support/listening-sandbox.ts';
import { describeAgreement } from './recorded-suite.ts';

const examples = join(import.meta.dirname, '../../deploy/examples');
const templates = join(examples, 'jobtemplates.yaml');

const json = (object: object): string => JSON.stringify(object);
const container = { name: 'main', image: 'busybox', command: ['true'] };
const podSpec = { restartPolicy: 'Never', containers: [container] };
const job = (name: string, spec: object = {}) => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name },
  spec: { template: { spec: podSpec }, ...spec },
});
const template = (image: string) => ({
  apiVersion: 'api.practice.com/v1alpha1',
  kind: 'JobTemplate',
  metadata: { name: 'job1-template' },
  spec: { jobTemplate: { template: { spec: { containers: [{ name: 'nginx', image }] } } } },
});
const unknownField = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'bad' }, dat: {} };

/** `refused`: kubectl ends with an error, or reports a difference. */
type Step = readonly [command: string, input?: string, end?: 'refused'];

const refused = (command: string, input = ''): Step => [command, input, 'refused'];

/**
 * Each step follows the one before, in a namespace of its own. `''` within a word keeps it
 * together.
 */
const steps: Readonly<Record<string, readonly Step[]>> = {
  'create, get and print': [
    ['create configmap one --from-literal=a=b'],
    refused('create configmap one --from-literal=a=b'),
    ['create secret generic one --from-literal=a=b'],
    ['create configmap two --dry-run=server -o name'],
    ['get cm'],
    ['get cm one -o yaml'],
    ['get cm one -o json'],
    ['get cm one -o name'],
    ['get cm one -o jsonpath={.data.a}'],
    ['get cm -o custom-columns=NAME:.metadata.name,A:.data.a'],
    ['get cm one -o go-template={{.metadata.name}}'],
    ['get cm,secret'],
    ['get cm one --show-managed-fields -o yaml'],
    refused('get cm nope'),
    ['get cm nope --ignore-not-found'],
    refused('get nosuchkind'),
    [
      'create -f -',
      json({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { generateName: 'generated-' } }),
    ],
  ],
  'label, annotate, select': [
    ['create configmap one --from-literal=a=b'],
    ['label cm one x=y'],
    refused('label cm one x=z'),
    ['label cm one x=z --overwrite'],
    ['annotate cm one note=hello'],
    ['get cm -l x=z --show-labels'],
    ['get cm -l x,x!=y -o name'],
    ['get cm --field-selector=metadata.name=one -o name'],
    refused('get cm --field-selector=spec.nodeName=one'),
    ['label cm one x-'],
  ],
  'patch and edit': [
    ['create configmap one --from-literal=a=b'],
    ['patch cm one -p {"data":{"c":"d"}}'],
    ['patch cm one --type=merge -p {"data":{"c":null}}'],
    ['patch cm one --type=json -p [{"op":"add","path":"/data/e","value":"f"}]'],
    refused('patch cm one --type=json -p [{"op":"test","path":"/data/e","value":"g"}]'),
    ['patch cm one --type=merge -p {}'],
    refused('patch cm nope -p {}'),
    ['edit cm one'],
    ['get cm one -o jsonpath={.data}'],
    ['replace -f -', json({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' } })],
    ['get cm one -o jsonpath={.data}'],
  ],
  'apply on the client': [
    [`apply -f ${templates}`],
    [`apply -f ${templates}`],
    [`diff -f ${templates}`],
    refused('diff -f -', json(template('other'))),
    ['apply -f -', json(template('other'))],
    ['get mjt job1-template -o yaml'],
    ['apply -f -', json(job('applied', { suspend: true }))],
    ['apply -f -', json(job('applied', { suspend: true, backoffLimit: 3 }))],
    ['get job applied -o jsonpath={.spec.backoffLimit}'],
    refused(
      'apply -f -',
      json(job('applied', { suspend: true, template: { spec: { ...podSpec, nodeName: 'x' } } })),
    ),
    refused('apply -f -', json(unknownField)),
    ['apply --validate=false -f -', json(unknownField)],
    ['apply --validate=warn -f -', json({ ...unknownField, metadata: { name: 'warned' } })],
    ['delete -f -', json(template('other'))],
  ],
  'apply on the server': [
    [`apply --server-side -f ${templates}`],
    [`apply --server-side -f ${templates}`],
    refused('apply --server-side --field-manager=other -f -', json(template('other'))),
    ['apply --server-side --field-manager=other --force-conflicts -f -', json(template('other'))],
    ['get mjt job1-template -o yaml --show-managed-fields'],
    ['apply --server-side -f -', json(job('applied', { suspend: true }))],
    ['apply --server-side --dry-run=server -f -', json(job('tried', { suspend: true }))],
    refused('diff --server-side -f -', json(job('applied', { suspend: true, backoffLimit: 3 }))),
    ['get jobs -o name'],
  ],
  'short names, categories, scale': [
    [`apply -f ${templates}`],
    ['get mjt'],
    ['get mjt -o wide'],
    ['get millrace'],
    ['get jobtemplates.api.practice.com -o name'],
    ['describe mjt job1-template'],
    refused('scale mjt/job1-template --replicas=2'),
    ['api-resources --categories=millrace'],
    ['api-resources --api-group=coordination.k8s.io'],
  ],
  'a Job from start to end': [
    ['create job one --image=busybox -- sleep 1'],
    ['create job two --image=busybox --dry-run=client -o yaml'],
    ['create job two --image=busybox --dry-run=server -o yaml'],
    ['wait --for=condition=Complete job/one --timeout=30s'],
    ['get job one'],
    ['get job one -o wide'],
    ['describe job one'],
    ['get pods'],
    ['get all'],
    ['events --for=job/one'],
    ['delete job one --cascade=orphan'],
    ['get pods -l job-name=one --no-headers -o custom-columns=:.metadata.ownerReferences'],
    ['delete pods -l job-name=one'],
    ['create job one --image=busybox'],
    ['delete job one --cascade=foreground'],
    ['get jobs,pods'],
  ],
  'access and discovery': [
    ['auth can-i create jobs'],
    ['auth can-i delete nodes'],
    ['explain jobflow.spec.flows --recursive'],
    ['explain jobtemplate.spec --recursive'],
    refused('explain jobflow.nope'),
    refused('explain nosuchkind'),
    ['get --raw /healthz'],
    refused('get --raw /nope'),
    ['create role r --verb=get --resource=pods'],
    ['create serviceaccount s'],
    ['create rolebinding b --role=r --serviceaccount=default:s'],
    ['get role,rolebinding,sa'],
    ['create priorityclass same-everywhere --value=100'],
    ['get pc same-everywhere'],
    ['delete pc same-everywhere'],
  ],
  'a node that is cordoned': [
    ['cordon node-1'],
    ['cordon node-1'],
    ['get node node-1 -o jsonpath={.spec.unschedulable}'],
    ['uncordon node-1'],
    ['get node node-1 -o jsonpath={.spec.unschedulable}'],
  ],
};

await describeAgreement('kubectl', 'kubectl on the sandbox', (cluster) => {
  let sandbox: ListeningSandbox;
  let kubectl: Kubectl;
  let folder: string;
  let editor: string;
  const run = (...args: string[]) => kubectlOrThrow(kubectl, args);

  beforeAll(async () => {
    sandbox = await startListeningSandbox();
    kubectl = kubectlWith(cluster.binaries.kubectl, sandbox.kubeconfig);
    await installCrds({ kubectl });
    folder = await mkdtemp(join(tmpdir(), 'millrace-kubectl-'));
    editor = join(folder, 'editor.sh');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/a: b/a: edited/" "$1"\n');
    await chmod(editor, 0o755);
  });
  afterAll(async () => {
    await sandbox.stop();
    await rm(folder, { recursive: true, force: true });
  });

  describe.each(Object.entries(steps))(
    'prints what it prints on the API server: %s',
    (_what, list) => {
      const namespace = `parity-${randomUUID().slice(0, 8)}`;
      const on = (which: Kubectl, [command, input = '']: Step) =>
        transcript(which, [`--namespace=${namespace}`, ...command.split(' ')], { input, editor });
      const servers = () => [cluster.kubectl, kubectl];

      beforeAll(() =>
        Promise.all(
          servers().map((which) => kubectlOrThrow(which, ['create', 'namespace', namespace])),
        ),
      );
      afterAll(() =>
        Promise.all(
          servers().map((which) => which(['delete', 'namespace', namespace, '--wait=false'])),
        ),
      );

      it.each(list.map((step, index) => [index + 1, ...step] as const))(
        '%d. %s',
        async (_n, ...step) => {
          const [real, simulated] = await Promise.all(servers().map((which) => on(which, step)));
          expect(simulated).toBe(real);
          const [, , end] = step;
          expect(real).toMatch(end === 'refused' ? /exit [1-9]\d*$/ : /exit 0$/);
          if (step[0].startsWith('edit ')) expect(real).toContain(' edited\n');
        },
      );
    },
  );

  it('applies every example', async () => {
    await run('create', 'namespace', 'examples');
    const here = '--namespace=examples';
    expect(await run('apply', '-f', examples, here)).toMatch(/jobflow\S+ created/);
    expect(await run('apply', '-f', examples, here)).not.toMatch(/created|configured/);
    expect(await run('apply', '--server-side', '-f', examples, here)).toMatch(/serverside-applied/);
    expect((await run('get', 'mjf', here, '-o', 'name')).trim().split('\n')).toHaveLength(6);
  });

  it('watches', async () => {
    const ended = new AbortController();
    const watching = kubectl(['get', 'cm', '-w', '--request-timeout=4s', '-n', 'default']);
    void watching.finally(() => ended.abort());
    await run('create', 'configmap', 'watched', '--from-literal=a=b', '-n', 'default');
    // kubectl does not report when its watch begins.
    for (let count = 0; !ended.signal.aborted; count += 1) {
      const label = `count=${count}`;
      await run('label', 'configmap', 'watched', label, '--overwrite', '-n', 'default');
    }
    expect((await watching).stdout).toMatch(/watched +1 +\d+s\nwatched +1 +\d+s\n/);
  });

  it('reads and follows logs', async () => {
    await run(
      'run',
      'printer',
      '--image=busybox',
      '--restart=Never',
      '--',
      'sh',
      '-c',
      // Longer than kubectl takes to notice that the Pod is running.
      'echo hello; sleep 5; echo bye',
    );
    await run('wait', '--for=condition=Ready', 'pod/printer', '--timeout=10s');
    expect(await run('logs', 'printer', '-f')).toBe('hello\nbye\n');
    expect(await run('logs', 'printer', '--tail=1')).toBe('bye\n');
    expect(await run('logs', 'printer', '--timestamps')).toMatch(/^\d{4}-\S+Z hello\n/);
  });

  it('applies a List, for which kubectl reads OpenAPI v2', async () => {
    const items = [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'listed' } }];
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    for (const how of [['--server-side'], []]) {
      const applied = await kubectlOrThrow(kubectl, ['apply', ...how, '-f', '-'], { input });
      expect(applied).toContain('configmap/listed');
    }
  });

  it('explains built-in kinds by both versions of OpenAPI', async () => {
    expect(await run('explain', 'job.spec.template.spec.containers.image')).toMatch(
      /FIELD: image <string>/,
    );
    expect(await run('explain', 'job', '-o', 'plaintext-openapiv2')).toMatch(/spec\t<Object>/);
    const structure = async (which: Kubectl, kind: string) =>
      (await kubectlOrThrow(which, ['explain', kind, '--recursive']))
        .split('\n')
        .filter((line) => line.includes('\t<'));
    for (const kind of ['job', 'pod', 'node', 'crd', 'lease']) {
      expect(await structure(kubectl, kind)).toEqual(await structure(cluster.kubectl, kind));
    }
  });

  it('deletes a namespace with what is in it', async () => {
    await run('create', 'namespace', 'leaving');
    await run('create', 'configmap', 'inside', '-n', 'leaving');
    expect(await run('delete', 'namespace', 'leaving', '--timeout=20s')).toMatch(/deleted/);
    expect(await run('get', 'cm', '-A', '-o', 'name')).not.toMatch(/inside/);
  });

  it('knows the server as a sandbox that lets everybody in', async () => {
    expect(await run('version')).toMatch(/Server Version: v1\.36\.3\+millrace-sandbox/);
    expect(await run('auth', 'whoami')).toMatch(/Username +millrace-sandbox/);
    expect(await run('auth', 'can-i', '--list')).toMatch(/\*\.\* +\[\] +\[\] +\[\*\]/);
    expect(await run('cluster-info')).toContain(sandbox.url);
    expect(await run('api-versions')).toMatch(/^api\.practice\.com\/v1alpha1$/m);
  });

  describe('is reported plainly', () => {
    beforeAll(async () => {
      await run('run', 'running', '--image=busybox', '--restart=Never', '--', 'sleep', '300');
      await run('wait', '--for=condition=Ready', 'pod/running', '--timeout=10s');
    });

    it.each([
      ['exec running -- ls', /does not simulate running commands in containers/],
      ['attach running', /does not simulate attaching to containers/],
      ['port-forward running 8080:80', /does not simulate forwarding ports/],
      ['create token default', /does not simulate tokens/],
      ['create deployment d --image=x', /could not find the requested resource/],
    ])('that there is no %s', async (command, message) => {
      const { stderr, code } = await kubectl(command.split(' '));
      expect(stderr).toMatch(message);
      expect(code).not.toBe(0);
    });
  });

  it('drains a node and deletes a Pod by force', async () => {
    await run('run', 'drained', '--image=busybox', '--restart=Never', '--', 'sleep', '300');
    await run('wait', '--for=condition=Ready', 'pod/drained', '--timeout=10s');
    const node = await run('get', 'pod', 'drained', '-o', 'jsonpath={.spec.nodeName}');
    expect(await run('drain', node, '--force', '--timeout=20s')).toMatch(/pod\/drained evicted/);
    await run('uncordon', node);
    await run('run', 'forced', '--image=busybox', '--restart=Never', '--', 'sleep', '300');
    expect(await run('delete', 'pod', 'forced', '--grace-period=0', '--force')).toMatch(
      /force deleted/,
    );
  });
});
