/**
 * `millrace install` and related commands, on a control plane of its own: an installation concerns the whole cluster.
 */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { commandLine, type CommandLine, program } from '#functions/millrace/testing/cli.ts';
import { outputFaults } from '#functions/millrace/testing/output-shape.ts';
import { processes } from '#functions/processes.ts';
import { type ControlPlane, startControlPlane } from '#test/support/control-plane/start.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import type { Connection } from '#shared/kube/connection.ts';
import { HttpKubeClient } from '#shared/kube/http-client.ts';
import { loadConnection } from '#shared/kube/kube-config.ts';
import { createNodes } from '#test/support/control-plane/nodes.ts';
import { installKnativeDefinitions } from '#test/support/knative-definitions.ts';
import { type Redis, startRedis } from '#test/support/redis.ts';
import { Terminal } from '#test/support/terminal.ts';
import {
  type Finding,
  type Place,
  plantedFaults,
  configureRedis,
  playCredentials,
  playLeader,
} from './planted-faults.ts';

/** 1 for a command that returns only when everything is ready. */
const waits = (command: string): number => (command.startsWith('millrace upgrade') ? 1 : 0);

/** A shell that finds kubectl and millrace by their names. */
async function terminalOf(plane: ControlPlane, cli: CommandLine): Promise<Terminal> {
  const millrace = join(cli.stateHome, 'millrace');
  await writeFile(millrace, `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`);
  await chmod(millrace, 0o755);
  const terminal = new Terminal({ kubectl: plane.binaries.kubectl, home: cli.stateHome });
  const path = [cli.stateHome, dirname(plane.binaries.kubectl), process.env['PATH']].join(':');
  terminal.export('PATH', path);
  return terminal;
}

describe.skipIf(inject('cluster') === undefined)('the command line, on a cluster', () => {
  let plane: ControlPlane;
  let cli: CommandLine;
  let redis: Redis;
  let connection: Connection;
  let place: Place;
  beforeAll(async () => {
    redis = await startRedis();
    plane = await startControlPlane({ users: [{ name: 'nobody' }] });
    await createNodes(plane, 1);
    cli = await commandLine();
    connection = await loadConnection({ kubeconfig: plane.adminKubeconfig });
    const client = new HttpKubeClient({ connection, userAgent: 'millrace-test' });
    place = { plane, client, redisUrl: redis.url };
  });
  afterAll(async () => {
    await cli[Symbol.asyncDispose]();
    await redis.stop();
    await connection.close();
    await plane.stop();
  });

  const run = async (args: readonly string[], kubeconfig = plane.adminKubeconfig) => {
    const path = [dirname(plane.binaries.kubectl), process.env['PATH']].join(':');
    const started = cli.start([...args, '--kubeconfig', kubeconfig], { PATH: path });
    const code = await started.exited;
    return { code, stdout: started.stdout(), stderr: started.stderr() };
  };
  const names = async (kind: string): Promise<readonly string[]> => {
    const list = ['get', kind, '-n', 'millrace', '-o', 'jsonpath={.items[*].metadata.name}'];
    return (await kubectlOrThrow(plane.kubectl, list)).split(' ').filter((name) => name !== '');
  };
  const doctor = async (...args: readonly string[]) => {
    const { code, stdout } = await run(['doctor', '--cluster', '-o', 'json', ...args]);
    const lines = stdout.trimEnd().split('\n');
    const findings = lines.map((line) => JSON.parse(line) as Finding);
    expect(findings.flatMap(outputFaults('doctor'))).toEqual([]);
    return { code, bad: findings.filter(({ verdict }) => ['fail', 'warn'].includes(verdict)) };
  };
  const aboutOf = (findings: readonly Finding[]) => findings.map(({ about }) => about).toSorted();

  it('says what it would do and writes nothing, with --dry-run', async () => {
    const { code, stdout } = await run(['install', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ok {3}rights of the user: /);
    expect(stdout).toMatch(/^would create deployments\.apps\/bridge$/m);
    expect(stdout).toMatch(/^would (?:create|update) namespaces\/millrace$/m);
    expect(stdout).toMatch(/would apply \d+ manifests into the namespace millrace\n$/);
    expect(await names('deployments')).toEqual([]);
  });

  it('refuses before it writes anything what cannot work', async () => {
    const powerless = await run(['install', '--no-wait'], plane.kubeconfigFor('nobody'));
    expect(powerless.code).toBe(1);
    expect(powerless.stderr).toContain('the installation needs cluster-admin');
    const knative = await run(['install', '--no-wait', '--knative']);
    expect(knative.code).toBe(1);
    expect(knative.stderr).toContain('services.serving.knative.dev is not served');
    const redis = await run(['install', '--no-wait', '--external-redis']);
    expect(redis.code).toBe(1);
    expect(redis.stderr).toContain('kubectl create secret generic millrace-redis -n millrace');
    expect(await names('deployments')).toEqual([]);
  });

  it('installs, twice as well as once, and doctor says what is wrong', async () => {
    const before = await run(['doctor', '--cluster', '--redis', 'redis://127.0.0.1:9']);
    expect(before.code).toBe(9);
    expect(before.stdout).toMatch(
      /^\d+ of \d+ checks failed: cluster, installation, redis; 1 skipped\n/,
    );
    expect(before.stdout).toMatch(
      /^FAIL Redis: .*ECONNREFUSED.*\n {5}next: redis-cli -h 127\.0\.0\.1 -p 9 ping$/m,
    );
    expect(before.stdout).toMatch(
      /^FAIL Millrace: is not installed in the namespace millrace.*\n {5}next: millrace install --/m,
    );
    for (const command of ['install', 'upgrade']) {
      const { code, stderr } = await run([command, '--no-wait']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    const expected = [...processes.map(({ name }) => name), 'redis'].toSorted();
    expect((await names('deployments')).toSorted()).toEqual(expected);
    await playCredentials(place);
    const { code, stdout } = await run(['upgrade']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ready after \d+ s\n$/);
  });

  it('finds what is wrong with it, and names the command that mends it', async () => {
    const elected = playLeader(place);
    const { code, bad } = await doctor('--redis', redis.url);
    await elected[Symbol.asyncDispose]();
    // There are no containers here, and the Redis of this test has no snapshots yet.
    expect(aboutOf(bad)).toEqual(['flow-admission', 'persistence of Redis']);
    expect(code).toBe(9);
    await configureRedis(place, 'save', '60 1');

    const faults = Object.values(plantedFaults);
    for (const { plant } of faults) await plant(place);
    const planted = await doctor('--redis', redis.url);
    expect(planted.code).toBe(9);
    expect(aboutOf(planted.bad)).toEqual(faults.map(({ about }) => about).toSorted());
    for (const { about, verdict = 'fail', detail, next } of faults) {
      expect(planted.bad).toContainEqual({
        ...{ group: expect.any(String) as unknown, about, verdict },
        detail: expect.stringMatching(detail) as unknown,
        next: expect.stringMatching(next) as unknown,
      });
    }

    await using terminal = await terminalOf(plane, cli);
    const mended = new Map(faults.map((fault) => [fault.about, fault.isMended]));
    const commands = new Set(
      planted.bad.filter(({ about }) => mended.get(about)).map(({ next = '' }) => next),
    );
    // Its upgrade waits until everything is ready.
    for (const command of [...commands].toSorted((one, other) => waits(one) - waits(other))) {
      if (waits(command) > 0) await playCredentials(place);
      await terminal.type(command);
    }
    const left = faults.filter(({ isMended }) => !isMended).map(({ about }) => about);
    // Parked work that was retried is waiting now.
    expect(aboutOf((await doctor('--redis', redis.url)).bad)).toEqual(left.toSorted());
  });

  it('ends doctor with 8 where no API server answers', async () => {
    const nowhere = join(plane.folder, 'nowhere');
    const text = await readFile(plane.adminKubeconfig, 'utf8');
    await writeFile(nowhere, text.replaceAll(plane.server, 'https://127.0.0.1:9'));
    const { code, stdout } = await run(['doctor'], nowhere);
    expect(code).toBe(8);
    expect(stdout).toMatch(/^ok {3}Node: /m);
    expect(stdout).toMatch(/^FAIL API server: .*\n {5}next: kubectl .*get --raw \/readyz$/m);
  });

  it('takes away what runs otherwise when it changes to Knative', async () => {
    await installKnativeDefinitions(plane.kubectl);
    const { code, stdout } = await run(['upgrade', '--no-wait', '--knative']);
    expect(code).toBe(0);
    expect(stdout).toContain('removing deployments/flow-advance');
    expect(await names('services.serving.knative.dev')).toContain('flow-advance');
    expect(await names('deployments')).not.toContain('flow-advance');
    expect(await names('services')).not.toContain('flow-advance');
    expect(await names('deployments')).toContain('bridge');

    await playCredentials(place);
    const annotations = { 'autoscaling.knative.dev/min-scale': '0' };
    const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
    const ksvc = ['patch', 'ksvc', 'flow-admission', '-n', 'millrace', '--type=merge'];
    await kubectlOrThrow(plane.kubectl, [...ksvc, '-p', patch]);
    expect((await doctor()).bad).toContainEqual(
      expect.objectContaining({
        about: 'minimum scale of flow-admission',
        next: expect.stringMatching(/ patch ksvc flow-admission .*"2"/) as unknown,
      }),
    );
  });

  it('uninstalls all but the kinds and their objects, and those only when none is left', async () => {
    await plane.kubectl(['delete', 'validatingwebhookconfigurations', 'millrace-flow-admission']);
    const input = JSON.stringify({
      apiVersion: 'api.practice.com/v1alpha1',
      kind: 'JobTemplate',
      metadata: { name: 'precious', namespace: 'default' },
      spec: { jobTemplate: { template: { spec: { containers: [{ name: 'a', image: 'a' }] } } } },
    });
    await kubectlOrThrow(plane.kubectl, ['create', '-f', '-'], { input });
    const refused = await run(['uninstall', '--delete-objects', '--yes']);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('1 object of Millrace is left');
    expect(await names('deployments')).toContain('bridge');

    const unanswered = await run(['uninstall']);
    expect(unanswered.code).toBe(2);
    expect(unanswered.stderr).toMatch(/remove \d+ objects of Millrace in the namespace millrace\?/);
    expect(await names('deployments')).toContain('bridge');

    const { code, stdout } = await run(['uninstall', '--yes']);
    expect(code).toBe(0);
    expect(stdout).toContain('the kinds and their 1 object stay');
    expect(await names('deployments')).toEqual([]);
    expect(await names('services.serving.knative.dev')).toEqual([]);
    await kubectlOrThrow(plane.kubectl, ['get', 'jobtemplate', 'precious']);

    expect((await run(['uninstall'])).stdout).toBe(
      'nothing of Millrace is installed in the namespace millrace\n',
    );

    await kubectlOrThrow(plane.kubectl, ['delete', 'jobtemplate', 'precious']);
    expect((await run(['uninstall', '--delete-objects', '--yes'])).code).toBe(0);
    const gone = ['wait', '--for=delete', 'crd/jobflows.api.practice.com', '--timeout=60s'];
    await kubectlOrThrow(plane.kubectl, gone);
  });
});
