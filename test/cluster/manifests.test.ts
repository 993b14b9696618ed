import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { processes } from '#functions/processes.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { documented } from '#test/support/documented-commands.ts';
import { kustomized, kustomizeFolder } from '#test/support/kustomized.ts';
import {
  byIdentity,
  type InstalledManifest,
  manifestsIn,
} from '#test/support/manifest-identity.ts';
import {
  installEventingDefinitions,
  installKnativeDefinitions,
} from '#test/support/knative-definitions.ts';
import { describeWithCluster } from '#test/support/require.ts';

const deploy = join(import.meta.dirname, '../../deploy');
const folders = [
  'overlays/plain',
  'overlays/dev',
  'overlays/ha',
  'overlays/kueue',
  'overlays/namespaced',
  'knative',
];

interface Workload extends InstalledManifest {
  readonly spec: { readonly template: { readonly spec: JsonObject } };
}

const isKnative = ({ apiVersion }: InstalledManifest) =>
  apiVersion.startsWith('serving.knative.dev/');

describeWithCluster('the manifests', ({ kubectl }) => {
  const rendered = new Map<string, readonly InstalledManifest[]>();
  beforeAll(async () => {
    await installKnativeDefinitions(kubectl);
    await installEventingDefinitions(kubectl);
    for (const folder of folders) {
      const stream = await kubectlOrThrow(kubectl, ['kustomize', kustomizeFolder(folder)]);
      rendered.set(folder, manifestsIn(stream));
    }
    const [namespace] = ofKind('overlays/plain', 'Namespace');
    // A Pod is refused if its account is missing.
    const accounts = folders.flatMap((folder) => ofKind(folder, 'ServiceAccount'));
    for (const item of [namespace, ...accounts]) {
      const input = JSON.stringify(item);
      await kubectlOrThrow(kubectl, ['apply', '--server-side', '-f', '-'], { input });
    }
  });
  const ofKind = (folder: string, kind: string): readonly InstalledManifest[] =>
    (rendered.get(folder) ?? []).filter((manifest) => manifest.kind === kind);
  const dryRun = (items: readonly JsonObject[]) =>
    kubectl(['create', '--dry-run=server', '--validate=strict', '-f', '-'], {
      input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
    });

  /** Objects that no earlier folder has with the same content. The answer to a dry run holds for all of them. */
  const asked = new Set<string>();
  const notAskedYet = (manifests: readonly InstalledManifest[]) =>
    manifests.filter((manifest) => {
      const text = JSON.stringify(manifest);
      const isNew = !asked.has(text);
      asked.add(text);
      return isNew;
    });

  it.each(folders)('%s: the API server takes every one of them', async (folder) => {
    const presentKinds = new Set([
      'Namespace',
      'ServiceAccount',
      'CustomResourceDefinition',
      'ClusterRole',
    ]);
    const isPresent = ({ kind, apiVersion }: InstalledManifest) =>
      presentKinds.has(kind) ||
      kind.startsWith('ValidatingAdmissionPolicy') ||
      apiVersion.includes('monitoring');
    const manifests = rendered.get(folder) ?? [];
    expect(manifests.length).toBeGreaterThan(50);
    const own = notAskedYet(manifests);
    expect(own).not.toEqual([]);
    const created = await dryRun(own.filter((manifest) => !isPresent(manifest)));
    expect(created).toMatchObject({ stderr: '', code: 0 });
    const present = own.filter(isPresent);
    if (present.length === 0) return;
    const applied = await kubectl(
      [
        'apply',
        '--server-side',
        '--force-conflicts',
        '--dry-run=server',
        '--validate=strict',
        '-f',
        '-',
      ],
      {
        input: JSON.stringify({
          apiVersion: 'v1',
          kind: 'List',
          items: present,
        }),
      },
    );
    expect(applied).toMatchObject({ stderr: '', code: 0 });
  });

  it.each([
    ['overlays/plain', 'install.yaml'],
    ['knative', 'install-knative.yaml'],
  ])('%s is what %s has', async (folder, file) => {
    const whole = manifestsIn(await readFile(join(deploy, file), 'utf8'));
    expect(byIdentity(whole)).toEqual(byIdentity(rendered.get(folder) ?? []));
  });

  it.each(['install.yaml', 'install-knative.yaml'])(
    'kubectl reads %s as it is meant',
    async (file) => {
      const path = join(deploy, file);
      const flags = ['--dry-run=client', '--validate=false', '-o', 'yaml'];
      const read = await kubectlOrThrow(kubectl, ['create', ...flags, '-f', path]);
      expect(byIdentity(manifestsIn(read))).toEqual(
        byIdentity(manifestsIn(await readFile(path, 'utf8'))),
      );
    },
  );

  it.each(folders)('%s: restricted Pod Security lets every Pod pass', async (folder) => {
    const [namespace] = ofKind(folder, 'Namespace');
    expect(namespace?.metadata['labels']).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
    const workloads = (rendered.get(folder) ?? []).filter(
      (manifest) => manifest.kind === 'Deployment' || isKnative(manifest),
    ) as unknown as readonly Workload[];
    expect(workloads).toHaveLength(processes.length + (folder === 'overlays/ha' ? 0 : 1));
    const pods = workloads.map(podOf);
    expect(await dryRun(pods)).toMatchObject({ stderr: '', code: 0 });
  });

  it('Pod Security refuses a Pod that may do more', async () => {
    const [first] = ofKind('overlays/plain', 'Deployment');
    const pod = podOf(first as unknown as Workload);
    const { stderr, code } = await dryRun([{ ...pod, spec: { ...pod.spec, hostNetwork: true } }]);
    expect(code).toBe(1);
    expect(stderr).toContain('violates PodSecurity "restricted:latest"');
  });

  it('has a function scale to nothing and back, and an admission never', () => {
    const scaleOf = ({ spec }: InstalledManifest) => {
      const { template } = spec as { template: { metadata: { annotations: JsonObject } } };
      return template.metadata.annotations['autoscaling.knative.dev/min-scale'];
    };
    for (const service of ofKind('knative', 'Service').filter(isKnative)) {
      const { part } = processes.find(({ name }) => name === service.metadata.name)!;
      expect(scaleOf(service), service.metadata.name).toBe(part === 'function' ? '0' : '2');
    }
  });

  it.each(['overlays/plain', 'knative'])(
    '%s with the component otel gives each process on the way of an event the address for spans',
    async (folder) => {
      const changed = (await kustomized(kubectl, folder, ['otel'])).filter((each) =>
        JSON.stringify(each).includes('"name":"OTEL_EXPORTER_OTLP_ENDPOINT","value":"http'),
      );
      expect(changed.map(({ metadata }) => metadata.name).toSorted()).toEqual(
        processes
          .filter(({ part }) => part === 'worker' || part === 'function')
          .map(({ name }) => name)
          .toSorted(),
      );
    },
  );

  it.each(['overlays/plain', 'knative'])(
    '%s with the component knative-eventing: a broker delivers what a function can route, and it asks for no key',
    async (folder) => {
      const all = await kustomized(kubectl, folder, ['knative-eventing']);
      const added = all.filter(({ apiVersion }) => /^(eventing|sources)\.knative/.test(apiVersion));
      expect(added.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
        'Broker millrace',
        ...['appwrapper', 'daemonjob', 'job', 'jobflow'].map(
          (kind) => `Trigger appwrapper-lifecycle-${kind}`,
        ),
        'Trigger daemon-fanout-daemonjob',
        'Trigger daemon-fanout-job',
        'Trigger flow-advance-job',
        'Trigger flow-advance-jobflow',
        'ApiServerSource api-server-source',
      ]);
      expect(await dryRun(added)).toMatchObject({ stderr: '', code: 0 });
      const unknown = added.map((each) => ({
        ...each,
        spec: { ...(each['spec'] as object), nobody: 1 },
      }));
      expect((await dryRun(unknown)).stderr).toContain('unknown field "nobody"');
      const changed = all.filter((each) =>
        JSON.stringify(each).includes('"name":"MILLRACE_ALLOW_UNSIGNED","value":"true"'),
      );
      expect(changed.map(({ metadata }) => metadata.name).toSorted()).toEqual([
        'appwrapper-lifecycle',
        'daemon-fanout',
        'flow-advance',
      ]);
      for (const each of changed)
        expect(JSON.stringify(each)).toContain('"name":"MILLRACE_DELIVERY_KEY_FILE","value":""');
    },
  );

  it.each(['overlays/plain', 'knative'])(
    '%s with the component knative-eventing-container-source: the bridge is a source, and a broker delivers its events to every function',
    async (folder) => {
      const all = await kustomized(kubectl, folder, ['knative-eventing-container-source']);
      const added = all.filter(({ apiVersion }) => /^(eventing|sources)\.knative/.test(apiVersion));
      expect(added.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
        'Broker millrace',
        'Trigger appwrapper-lifecycle-appwrapper',
        'Trigger daemon-fanout-daemonjob',
        'Trigger flow-advance-jobflow',
        'Trigger kueue-workload-sync-appwrapper',
        'Trigger kueue-workload-sync-daemonjob',
        'Trigger kueue-workload-sync-jobflow',
        'Trigger suspend-schedule-clustersuspendpolicy',
        'Trigger suspend-schedule-suspendpolicy',
        'ContainerSource bridge',
      ]);
      expect(await dryRun(added)).toMatchObject({ stderr: '', code: 0 });
      const source = added.at(-1) as Workload;
      const [unknown] = [{ ...source, spec: { ...source.spec, nobody: 1 } }];
      expect((await dryRun([unknown])).stderr).toContain('unknown field "nobody"');
      expect(await dryRun([podOf(source)])).toMatchObject({ stderr: '', code: 0 });
      const isBridge = ({ kind, metadata }: InstalledManifest) =>
        kind === 'Deployment' && metadata.name === 'bridge';
      expect(all.filter(isBridge)).toEqual([]);
      const deployed = (rendered.get(folder) ?? []).find(isBridge) as Workload | undefined;
      const keyed = '{"name":"MILLRACE_DELIVERY_KEY_FILE","value":"/etc/millrace/delivery/key"}';
      const keyless = '{"name":"MILLRACE_DELIVERY_KEY_FILE","value":""}';
      expect(source.spec.template).toEqual(
        JSON.parse(JSON.stringify(deployed?.spec.template).replace(keyed, keyless)),
      );
    },
  );

  it.each(['overlays/plain', 'knative'])(
    '%s with the component knative-eventing-container-source: no function asks for a key, and nothing keeps the bridge from the broker',
    async (folder) => {
      const all = await kustomized(kubectl, folder, ['knative-eventing-container-source']);
      const withWords = (words: string) =>
        all
          .filter((each) => JSON.stringify(each).includes(words))
          .map(({ metadata }) => metadata.name);
      const functions = processes.filter(({ part }) => part === 'function').map(({ name }) => name);
      expect(withWords('"name":"MILLRACE_ALLOW_UNSIGNED","value":"true"').toSorted()).toEqual(
        functions.toSorted(),
      );
      expect(withWords('"value":"/etc/millrace/delivery/key"')).toEqual([]);
      const policies = all.filter(({ kind }) => kind === 'NetworkPolicy');
      expect(policies.map(({ metadata }) => metadata.name)).toContain('broker');
      for (const { metadata, spec } of policies) {
        expect((spec as JsonObject)['policyTypes'], metadata.name).toEqual(['Ingress']);
      }
    },
  );

  it('shows source, broker and triggers by the command that the page of the installation has', async () => {
    const all = await kustomized(kubectl, 'overlays/plain', ['knative-eventing-container-source']);
    const items = all.filter(({ apiVersion }) => /^(eventing|sources)\.knative/.test(apiVersion));
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items });
    await kubectlOrThrow(kubectl, ['create', '-f', '-'], { input });
    onTestFinished(async () => {
      await kubectlOrThrow(kubectl, ['delete', '-f', '-'], { input });
    });
    const command = documented('kubectl get containersources,brokers,triggers -n millrace');
    const shown = await kubectlOrThrow(kubectl, command.split(' ').slice(1));
    for (const { kind, metadata } of items) {
      expect(shown).toMatch(new RegExp(`^${kind.toLowerCase()}\\S*/${metadata.name} `, 'm'));
    }
  });

  it('adds to the default roles of Kubernetes', async () => {
    await kubectlOrThrow(kubectl, ['apply', '-f', join(deploy, 'rbac/users.yaml')]);
    const may = async (
      role: string,
      verb: string,
      resource: string,
      ...more: readonly string[]
    ): Promise<boolean> => {
      const user = `--as=system:serviceaccount:millrace:${role}`;
      const asked = ['auth', 'can-i', verb, resource, '-n', 'millrace', user, ...more];
      return (await kubectl(asked)).stdout.trim() === 'yes';
    };
    for (const role of ['view', 'edit', 'admin']) {
      const binding = ['create', 'rolebinding', `users-${role}`, '-n', 'millrace'];
      const bound = [`--clusterrole=${role}`, `--serviceaccount=millrace:${role}`];
      await kubectlOrThrow(kubectl, [...binding, ...bound]);
    }
    // A controller aggregates the roles a moment later.
    await expect.poll(() => may('view', 'list', 'jobflows.api.practice.com')).toBe(true);
    await expect.poll(() => may('edit', 'create', 'jobflows.api.practice.com')).toBe(true);
    await expect.poll(() => may('admin', 'patch', 'suspendpolicies.millrace.dev')).toBe(true);
    expect(await may('view', 'create', 'jobflows.api.practice.com')).toBe(false);
    expect(await may('edit', 'patch', 'jobflows.api.practice.com', '--subresource=status')).toBe(
      false,
    );
    expect(await may('admin', 'create', 'clustersuspendpolicies.millrace.dev')).toBe(false);
  });
});

function podOf({ metadata, spec }: Workload): JsonObject & { readonly spec: JsonObject } {
  // Knative needs these fields for its queue proxy and its revisions.
  const { containerConcurrency, timeoutSeconds, ...pod } = spec.template.spec;
  expect([containerConcurrency, timeoutSeconds]).toSatisfy(
    (values: unknown[]) =>
      values.every(Number.isInteger) || values.every((value) => value === undefined),
  );
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: metadata.name, namespace: 'millrace' },
    spec: pod,
  };
}
