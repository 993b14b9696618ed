/** Everyday use of Millrace without Knative, on a node with a kubelet and containers. */
import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { processes } from '#functions/processes.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { documented } from '#test/support/documented-commands.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { memoryOf } from './figures.ts';
import { flowOf, jobSpec, manifest } from './manifests.ts';
import type { RealCluster } from './cluster/real-cluster.ts';

/** Declares the tests, for a suite that has installed Millrace with all its processes. */
export function describeEverydayUse(cluster: RealCluster): void {
  const { ask, kubectl, facts } = cluster;
  const apply = (text: string) => ask(['apply', '--server-side', '-f', '-'], text);
  const wait = (what: string, on: string) => ask(['wait', `--for=${what}`, kubectlPatience, on]);

  it('has every Pod ready after one command', async () => {
    const pods = await cluster.type(documented('kubectl get pods -n millrace'));
    const [, ...lines] = pods.trim().split('\n');
    expect(lines.length).toBeGreaterThanOrEqual(processes.length + 1);
    for (const line of lines) expect(line).toMatch(/\s1\/1\s+Running\s/);
    reportProgress(`idle ${await memoryOf(cluster, 'millrace')}`);
  });

  it('has its webhooks called by the API server through a Service', async () => {
    const cycle = flowOf('cycle', [
      { name: 'a', dependencies: ['b'], run: 'true' },
      { name: 'b', dependencies: ['a'], run: 'true' },
    ]);
    const { code, stderr } = await kubectl(['create', '-f', '-'], cycle);
    expect(code).toBe(1);
    expect(stderr).toContain('admission webhook "flow-validation.millrace.dev" denied the request');
    expect(stderr).toContain('the dependencies form a cycle');
  });

  it('runs a flow whose steps sleep and write', async () => {
    await apply(
      flowOf('hello', [
        { name: 'fetch', run: 'echo fetched; sleep 1' },
        { name: 'count', dependencies: ['fetch'], run: 'echo one > /tmp/n; cat /tmp/n' },
        { name: 'report', dependencies: ['fetch', 'count'], run: 'echo done' },
      ]),
    );
    await wait('condition=Complete', 'jobflow/hello');
    expect(await ask(['logs', 'job/hello-fetch'])).toBe('fetched\n');
    expect(await ask(['logs', 'job/hello-count'])).toBe('one\n');
    const shown = await ask(['get', 'jobflows', 'hello', '--no-headers']);
    expect(shown).toMatch(/^hello\s+Succeed\s/);
  });

  it('gives a volume to every step: one writes, the next reads', async () => {
    const claim = { name: 'shared', namespace: 'default' };
    const size = { storage: '1Mi' };
    const accessModes = ['ReadWriteOnce'];
    const hostPath = { path: join(facts.folder, 'shared'), type: 'Directory' };
    await mkdir(hostPath.path);
    // The container is not root.
    await chmod(hostPath.path, 0o777);
    const volume = { accessModes, capacity: size, storageClassName: '', claimRef: claim, hostPath };
    await apply(manifest('v1', 'PersistentVolume', 'shared', { spec: volume }));
    const wanted = { accessModes, storageClassName: '', resources: { requests: size } };
    await apply(manifest('v1', 'PersistentVolumeClaim', 'shared', { spec: wanted }));
    await apply(
      flowOf(
        'handover',
        [
          { name: 'write', run: 'echo from the first > /shared/note' },
          { name: 'read', dependencies: ['write'], run: 'cat /shared/note' },
        ],
        {
          shareVolumes: [{ name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }],
          shareVolumeMounts: [{ name: 'shared', mountPath: '/shared' }],
        },
      ),
    );
    await wait('condition=Complete', 'jobflow/handover');
    expect(await ask(['logs', 'job/handover-read'])).toBe('from the first\n');
  });

  it('reports a step that fails, and runs nothing that depends on it', async () => {
    await apply(
      flowOf('fails', [
        { name: 'breaks', run: 'echo oops; exit 3' },
        { name: 'after', dependencies: ['breaks'], run: 'true' },
      ]),
    );
    await wait('condition=Failed', 'jobflow/fails');
    const jobs = await ask(['get', 'jobs', '-o', 'name']);
    expect(jobs).toContain('job.batch/fails-breaks');
    expect(jobs).not.toContain('fails-after');
    const read = await ask(['get', 'jobflow', 'fails', '-o', 'jsonpath={.status}']);
    expect(read).toContain('exited 3');
  });

  it('runs a DaemonJob on the node', async () => {
    const spec = jobSpec('echo here');
    await apply(manifest('api.practice.com/v1alpha1', 'DaemonJob', 'everywhere', { spec }));
    await wait('condition=Complete', 'daemonjob/everywhere');
    expect(await ask(['logs', 'job/everywhere-minikube'])).toBe('here\n');
  });

  it('holds by day what runs at night: no container before the window opens', async () => {
    const policy = (exceptions: readonly JsonObject[]) =>
      manifest('millrace.dev/v1alpha1', 'SuspendPolicy', 'nights', {
        spec: {
          selector: { matchLabels: { tier: 'batch' } },
          // A night that is always years away, until an exception says otherwise.
          schedule: {
            timeZone: 'UTC',
            windows: [{ name: 'night', open: '0 0 29 2 *', close: '0 1 29 2 *' }],
            exceptions: [...exceptions],
          },
        },
      });
    await apply(policy([]));
    await wait('jsonpath={.status.state}=Closed', 'suspendpolicy/nights');
    const labels = { tier: 'batch' };
    const spec = jobSpec('echo slept');
    await apply(manifest('batch/v1', 'Job', 'sleeper', { labels, spec }));
    await wait('jsonpath={.spec.suspend}=true', 'job/sleeper');
    expect(await ask(['get', 'pods', '-l', 'job-name=sleeper', '-o', 'name'])).toBe('');
    const today = new Date().toISOString().slice(0, 10);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
    await apply(
      policy([today, tomorrow].map((date) => ({ name: `night-${date}`, date, state: 'Open' }))),
    );
    await wait('condition=Complete', 'job/sleeper');
    expect(await ask(['logs', 'job/sleeper'])).toBe('slept\n');
  });

  /** Returns the answer to one container of a stranger, in a namespace of its own. */
  const answerTo = async (name: string, script: string): Promise<string> => {
    await apply(manifest('batch/v1', 'Job', name, { spec: jobSpec(script) }));
    await wait('condition=Complete', `job/${name}`);
    return ask(['logs', `job/${name}`]);
  };

  it('does nothing for a stranger in the cluster who gets past the network policies', async () => {
    const url = 'http://flow-advance.millrace.svc.cluster.local/';
    const forged = '{"specversion":"1.0","id":"1","source":"/x","type":"y"}';
    const header = "--header 'content-type: application/cloudevents+json'";
    const post = `busybox wget -S -O - ${header} --post-data '${forged}' ${url} 2>&1 || true`;
    expect(await answerTo('forger', post)).toMatch(/HTTP\/1.1 401/);
    const redis = 'redis.millrace.svc.cluster.local 6379';
    const read = `(echo 'KEYS *'; sleep 1) | busybox nc ${redis} || true`;
    // Neither keys nor a word of who may ask: it does not speak to him.
    expect(await answerTo('reader', read)).not.toMatch(/^[-+*$:]/m);
  });

  it('logs no value of an environment', async () => {
    const canary = 'canary-5c1f0e';
    const env = [{ name: 'PASSWORD', value: canary }];
    const template = jobSpec('test -n "$PASSWORD"; exit 7', {}, { env });
    const flows = [{ name: 'a', jobTemplate: template }];
    const spec = { spec: { flows } };
    await apply(manifest('api.practice.com/v1alpha1', 'JobFlow', 'secretive', spec));
    await wait('condition=Failed', 'jobflow/secretive');
    const all = ['--all-containers', '--prefix', '--tail=-1', '--max-log-requests=40'];
    const selected = ['logs', '-n', 'millrace', '-l', 'app.kubernetes.io/part-of=millrace'];
    const logs = await ask([...selected, ...all]);
    expect(logs).toContain('secretive');
    expect(logs).not.toContain(canary);
    const shown = await ask(['get', 'jobflow/secretive', '-o', 'jsonpath={.status}']);
    expect(shown).toContain('exited 7');
    expect(shown).not.toContain(canary);
    expect(await ask(['get', 'events', '-o', 'json'])).not.toContain(canary);
  });
}
