/** `millrace install` on a node with containers, and what an operator and bad luck do to it. */
import { beforeAll, expect, it } from 'vitest';
import { processes } from '#functions/processes.ts';
import { defaultSettings } from '#shared/installation/default-settings.ts';
import { createdTwice, successfulCreates } from '#test/support/audit-log.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { flowOf } from './manifests.ts';
import { describeOnRealCluster } from './require.ts';

const nextPrefix = 'next.millrace.dev';

describeOnRealCluster('the command line on a real node', (cluster) => {
  const { ask, kubectl, millrace, facts } = cluster;
  const wait = (what: string, ...on: readonly string[]) =>
    ask(['wait', `--for=${what}`, '--timeout=150s', ...on]);
  const apply = (text: string) => ask(['apply', '--server-side', '-f', '-'], text);
  /** Two steps, of which the first takes long enough for something to happen. */
  const begin = async (name: string): Promise<void> => {
    await apply(
      flowOf(name, [
        { name: 'a', run: 'sleep 5' },
        { name: 'b', dependencies: ['a'], run: 'echo went on' },
      ]),
    );
    await wait('create', `job/${name}-a`);
  };
  const goesOn = async (name: string): Promise<void> => {
    await wait('condition=Complete', `jobflow/${name}`);
    expect(await ask(['logs', `job/${name}-b`])).toBe('went on\n');
  };

  beforeAll(async () => {
    const said = await millrace('install');
    reportProgress(`millrace install: ${/ready after .*/.exec(said)?.[0] ?? said}`);
  });

  it('finds nothing to complain of afterwards', async () => {
    expect(await millrace('doctor', '--cluster')).not.toMatch(/^FAIL/m);
  });

  it('goes on with a flow where every Pod of Millrace is killed', async () => {
    await begin('killed');
    await ask(['delete', 'pods', '--all', '-n', 'millrace', '--force', '--grace-period=0']);
    await goesOn('killed');
  });

  it('goes on with a flow where the Pod of Redis is deleted, with all that it knew', async () => {
    await begin('forgotten');
    const redis = ['-n', 'millrace', '-l', 'app.kubernetes.io/name=redis'];
    await ask(['delete', 'pods', ...redis, '--grace-period=0', '--force']);
    await goesOn('forgotten');
  });

  it('keeps one Pod of each pair while the node is drained, and goes on afterwards', async () => {
    await begin('drained');
    const ours = ['--pod-selector=app.kubernetes.io/part-of=millrace', '--timeout=10s'];
    const drain = await kubectl(['drain', 'minikube', '--delete-emptydir-data', ...ours]);
    const left = ['get', 'pods', '-n', 'millrace', '--field-selector=status.phase=Running'];
    const running = await ask([...left, '--no-headers']);
    await ask(['uncordon', 'minikube']);
    expect(drain.code).toBe(1);
    expect(drain.stderr).toContain("would violate the pod's disruption budget");
    for (const name of ['bridge', 'dispatcher', 'flow-admission']) {
      expect(running).toMatch(new RegExp(`^${name}-`, 'm'));
    }
    await goesOn('drained');
  });

  it('is upgraded from one build to the next while flows run', async () => {
    const { imageOf } = defaultSettings(processes, packageJson.version);
    const next = defaultSettings(processes, packageJson.version, nextPrefix).imageOf;
    for (const { name } of processes) await cluster.tagImage(imageOf(name), next(name));
    const names = Array.from({ length: 6 }, (_, index) => `load-${index}`);
    const upgraded = millrace('upgrade', '--image-prefix', nextPrefix);
    for (const name of names) await begin(name);
    expect(await upgraded).toMatch(/ready after \d+ s\n$/);
    for (const name of names) await goesOn(name);
    const columns = 'jsonpath={.items[*].spec.template.spec.containers[*].image}';
    const images = (await ask(['get', 'deployments', '-n', 'millrace', '-o', columns])).split(' ');
    const ofOurs = images.filter((image) => image.includes('millrace.dev'));
    expect(ofOurs.toSorted()).toEqual(processes.map(({ name }) => next(name)).toSorted());
  });

  it('has created no Job twice in all of that, by the audit log', async () => {
    const creates = await successfulCreates(facts.auditLog, {
      resource: 'jobs',
      user: /^system:serviceaccount:millrace:/,
    });
    expect(creates.map(({ name }) => name)).toContain('drained-b');
    expect(createdTwice(creates)).toEqual([]);
  });
});
