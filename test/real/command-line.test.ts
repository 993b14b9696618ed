/** `millrace install` on a node with containers, and what an operator and bad luck do to it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { processes } from '#functions/processes.ts';
import { createdTwice, requestsByUserAgent, successfulCreates } from '#test/support/audit-log.ts';
import { documented } from '#test/support/documented-commands.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { buildNext, type NextBuild, nextVersion, nextWords } from './cluster/next-build.ts';
import { flowOf } from './manifests.ts';
import { describeOnRealCluster } from './require.ts';

describeOnRealCluster('the command line on a real node', (cluster) => {
  const { ask, kubectl, type, facts } = cluster;
  const wait = (what: string, ...on: readonly string[]) =>
    ask(['wait', `--for=${what}`, kubectlPatience, ...on]);
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

  let next: NextBuild | undefined;
  /** Other suites write to the same audit log before. */
  let sinceMs = 0;
  beforeAll(async () => {
    sinceMs = Date.now();
    next = await buildNext(cluster, reportProgress);
    expect(await type(documented('npx millrace install --dry-run'))).toContain('would apply');
    const said = await type(documented('npx millrace install'));
    reportProgress(`millrace install: ${/ready after .*/.exec(said)?.[0] ?? said}`);
  });
  afterAll(() => next?.remove());

  it('finds nothing to complain of afterwards', async () => {
    expect(await type(documented('npx millrace doctor --cluster'))).not.toMatch(/^FAIL/m);
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

  /** Flows of which some begin before the Pods change, and some meanwhile. */
  const underLoad = async (label: string, change: () => Promise<string>): Promise<void> => {
    const names = Array.from({ length: 6 }, (_, index) => `${label}-${index}`);
    await begin(`${label}-before`);
    const changed = change();
    for (const name of names) await begin(name);
    expect(await changed).toMatch(/ready after \d+ s\n$/);
    for (const name of [`${label}-before`, ...names]) await goesOn(name);
  };
  const imagesOf = async (version: string): Promise<readonly string[]> => {
    const columns = 'jsonpath={.items[*].spec.template.spec.containers[*].image}';
    const images = (await ask(['get', 'deployments', '-n', 'millrace', '-o', columns])).split(' ');
    return images.filter((image) => image.endsWith(`:${version}`));
  };
  const field = (name: string, path: string): Promise<string> =>
    ask(['get', 'jobflow', name, '-o', `jsonpath={${path}}`]);
  const words = (name: string): Promise<string> =>
    field(name, '.status.conditions[?(@.type=="Complete")].message');

  it('is upgraded to a build with other code while flows run', async () => {
    await underLoad('up', () => next!.millrace('upgrade'));
    expect(await imagesOf(nextVersion)).toHaveLength(processes.length);
    await begin('by-next');
    await goesOn('by-next');
    expect(await words('by-next')).toBe(nextWords);
  });

  it('is taken back to the build before while flows run, and both leave what is on record', async () => {
    const recorded = await field('up-before', '.status.jobStatusList');
    expect(recorded).toContain('"name":"b"');
    await underLoad('down', () => type(documented('npx millrace upgrade')));
    expect(await imagesOf(packageJson.version)).toHaveLength(processes.length);
    await begin('by-first');
    await goesOn('by-first');
    expect(await words('by-first')).toBe('every step succeeded');
    expect(await field('up-before', '.status.jobStatusList')).toBe(recorded);
  });

  it('has created no Job twice in all of that, by the audit log', async () => {
    const creates = await successfulCreates(facts.auditLog, {
      resource: 'jobs',
      user: /^system:serviceaccount:millrace:/,
      sinceMs,
    });
    expect(creates.map(({ name }) => name)).toContain('killed-b');
    expect(createdTwice(creates)).toEqual([]);
    const byVersion = requestsByUserAgent(creates);
    for (const version of [packageJson.version, nextVersion])
      expect(byVersion.get(`millrace/${version}`)).toBeGreaterThan(0);
  });
});
