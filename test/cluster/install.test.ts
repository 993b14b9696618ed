/** `millrace install` and what goes with it, on a control plane of its own: it is installed there for all. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { commandLine, type CommandLine } from '#functions/millrace/testing/cli.ts';
import { processes } from '#functions/processes.ts';
import { type ControlPlane, startControlPlane } from '#test/support/control-plane/start.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { createNodes } from '#test/support/control-plane/nodes.ts';
import { installKnativeDefinitions } from '#test/support/knative-definitions.ts';

interface Configuration {
  readonly metadata: { readonly name: string };
  readonly webhooks: readonly object[];
}

describe.skipIf(inject('cluster') === undefined)('the command line, on a cluster', () => {
  let plane: ControlPlane;
  let cli: CommandLine;
  beforeAll(async () => {
    plane = await startControlPlane({ users: [{ name: 'nobody' }] });
    await createNodes(plane, 1);
    cli = await commandLine();
  });
  afterAll(async () => {
    await cli[Symbol.asyncDispose]();
    await plane.stop();
  });

  const run = async (args: readonly string[], kubeconfig = plane.adminKubeconfig) => {
    const started = cli.start([...args, '--kubeconfig', kubeconfig]);
    const code = await started.exited;
    return { code, stdout: started.stdout(), stderr: started.stderr() };
  };
  const names = async (kind: string): Promise<readonly string[]> => {
    const list = ['get', kind, '-n', 'millrace', '-o', 'jsonpath={.items[*].metadata.name}'];
    return (await kubectlOrThrow(plane.kubectl, list)).split(' ').filter((name) => name !== '');
  };
  /** What `credentials` does there, since no container runs here. */
  const trust = async (): Promise<void> => {
    const value = Buffer.from('nobody').toString('base64');
    for (const kind of ['mutatingwebhookconfiguration', 'validatingwebhookconfiguration']) {
      const text = await kubectlOrThrow(plane.kubectl, ['get', kind, '-o', 'json']);
      const { items } = JSON.parse(text) as { readonly items: readonly Configuration[] };
      for (const { metadata, webhooks } of items) {
        const patch = webhooks.flatMap((_, index) => {
          const at = `/webhooks/${index}/clientConfig`;
          return [
            { op: 'add', path: `${at}/caBundle`, value },
            { op: 'add', path: `${at}/service/path`, value: '/token/name' },
          ];
        });
        const args = ['patch', kind, metadata.name, '--type=json', '-p', JSON.stringify(patch)];
        await kubectlOrThrow(plane.kubectl, args);
      }
    }
  };

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
    const nobody = await run(['install', '--no-wait'], plane.kubeconfigFor('nobody'));
    expect(nobody.code).toBe(1);
    expect(nobody.stderr).toContain('the installation needs cluster-admin');
    const knative = await run(['install', '--no-wait', '--knative']);
    expect(knative.code).toBe(1);
    expect(knative.stderr).toContain('services.serving.knative.dev is not served');
    const redis = await run(['install', '--no-wait', '--external-redis']);
    expect(redis.code).toBe(1);
    expect(redis.stderr).toContain('kubectl create secret generic millrace-redis -n millrace');
    expect(await names('deployments')).toEqual([]);
  });

  it('installs, twice as well as once, and doctor says what is wrong', async () => {
    const before = await run(['doctor', '--cluster']);
    expect(before.code).toBe(1);
    expect(before.stdout).toBe(
      'FAIL Millrace: is not installed in the namespace millrace; millrace install\n',
    );
    expect(await run(['doctor'])).toEqual(before);
    for (const command of ['install', 'upgrade']) {
      const { code, stderr } = await run([command, '--no-wait']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    }
    const expected = [...processes.map(({ name }) => name), 'redis'].toSorted();
    expect((await names('deployments')).toSorted()).toEqual(expected);
    const untrusted = await run(['doctor', '--cluster']);
    expect(untrusted.code).toBe(1);
    expect(untrusted.stdout).toMatch(
      /^FAIL validatingwebhook\S+: has no caBundle and no path of reviews;/m,
    );
    await trust();
    await expect
      .poll(async () => (await run(['doctor', '--cluster'])).code, { timeout: 60_000 })
      .toBe(0);
    const { code, stdout } = await run(['upgrade']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/ready after \d+ s\n$/);
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
    const refused = await run(['uninstall', '--delete-objects']);
    expect(refused.code).toBe(5);
    expect(refused.stderr).toContain('1 objects of Millrace are left');
    expect(await names('deployments')).toContain('bridge');

    const { code, stdout } = await run(['uninstall']);
    expect(code).toBe(0);
    expect(stdout).toContain('the kinds and 1 objects of theirs stay');
    expect(await names('deployments')).toEqual([]);
    expect(await names('services.serving.knative.dev')).toEqual([]);
    await kubectlOrThrow(plane.kubectl, ['get', 'jobtemplate', 'precious']);

    await kubectlOrThrow(plane.kubectl, ['delete', 'jobtemplate', 'precious']);
    expect((await run(['uninstall', '--delete-objects'])).code).toBe(0);
    const gone = ['wait', '--for=delete', 'crd/jobflows.api.practice.com', '--timeout=60s'];
    await kubectlOrThrow(plane.kubectl, gone);
  });
});
