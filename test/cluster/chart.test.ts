import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { defaultRunbookUrl } from '#shared/installation/default-settings.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { generatedFiles } from '../../deploy/generate.ts';
import { chartPackage } from '../../deploy/release/archives.ts';
import { omit } from '#shared/domain/omit.ts';
import { documented } from '#test/support/documented-commands.ts';
import { obtainHelm } from '#test/support/helm.ts';
import { kustomized } from '#test/support/kustomized.ts';
import {
  byIdentity,
  type InstalledManifest,
  manifestsIn,
} from '#test/support/manifest-identity.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { describeWithCluster } from '#test/support/require.ts';

const run = promisify(execFile);
const deploy = join(import.meta.dirname, '../../deploy');

describeWithCluster('the Helm chart', ({ kubectl }) => {
  let helm: string;
  // Exists when the whole suite runs. For this file alone it may have to be built first.
  beforeAll(async () => {
    helm = await obtainHelm(reportProgress);
  }, 900_000);
  const render = async (...values: readonly string[]): Promise<readonly InstalledManifest[]> => {
    const flags = ['-n', 'millrace', '--kube-version', '1.36.3', '--skip-tests'];
    const set = values.flatMap((value) => ['--set', value]);
    const chart = join(deploy, 'chart');
    const options = { maxBuffer: 64 * 1024 * 1024 };
    const { stdout } = await run(helm, ['template', 'millrace', chart, ...flags, ...set], options);
    return manifestsIn(stdout);
  };
  it.each([
    ['as it is', 'overlays/plain', [], []],
    ['with Knative', 'knative', [], ['knative.enabled=true']],
    ['with cert-manager', 'overlays/plain', ['cert-manager'], ['certManager.enabled=true']],
    ['with another Redis', 'overlays/plain', ['external-redis'], ['redis.trial=false']],
    [
      'with spans',
      'overlays/plain',
      ['otel'],
      ['otel.endpoint=http://otel-collector.opentelemetry.svc:4318'],
    ],
    ['beside Kueue', 'overlays/kueue', [], ['kueue.enabled=true']],
    ['for its own namespace', 'overlays/namespaced', [], ['namespaced=true']],
    [
      'with events from a broker',
      'overlays/plain',
      ['knative-eventing'],
      ['knative.eventing=true'],
    ],
    [
      'with events from a bridge that is a source',
      'overlays/plain',
      ['knative-eventing-container-source'],
      ['knative.containerSource=true'],
    ],
    [
      'on Knative, with events from a bridge that is a source, whatever other source there is',
      'knative',
      ['knative-eventing-container-source'],
      ['knative.enabled=true', 'knative.containerSource=true', 'knative.eventing=true'],
    ],
    [
      'with events from a bridge that is a source, for its own namespace, with another Redis and spans',
      'overlays/namespaced',
      ['external-redis', 'otel', 'knative-eventing-container-source'],
      [
        ...['namespaced=true', 'redis.trial=false', 'knative.containerSource=true'],
        'otel.endpoint=http://otel-collector.opentelemetry.svc:4318',
      ],
    ],
    ['with monitoring', 'overlays/plain', ['monitoring'], ['monitoring.enabled=true']],
    [
      'with Knative, cert-manager and another Redis',
      'knative',
      ['cert-manager', 'external-redis'],
      ['knative.enabled=true', 'certManager.enabled=true', 'redis.trial=false'],
    ],
  ] as const)('%s is what kustomize gives', async (_, folder, components, values) => {
    const chart = await render('namespace.create=true', ...values);
    expect(chart.length).toBeGreaterThan(50);
    const kept = chart.map((each) => (isDefinition(each) ? withoutHelm(each) : each));
    expect(byIdentity(kept)).toEqual(byIdentity(await kustomized(kubectl, folder, components)));
  });

  it('links alerts to the runbook that an operator names', async () => {
    const runbookUrl = 'https://git.example.com/ops/runbook.md';
    const rendered = JSON.stringify(
      await render('monitoring.enabled=true', `monitoring.runbookUrl=${runbookUrl}`),
    );
    expect(rendered).toContain(`${runbookUrl}#millracenoleader`);
    expect(rendered).not.toContain(defaultRunbookUrl);
  });

  it('shows the bridge as a source, as the page of the installation has it typed', async () => {
    const command = documented(
      'helm template millrace deploy/chart -n millrace --kube-version 1.33 --set knative.containerSource=true -s templates/bridge.yaml',
    );
    const [, ...words] = command.split(' ');
    const { stdout } = await run(helm, words, { cwd: join(deploy, '..') });
    expect(manifestsIn(stdout)).toMatchObject([
      { kind: 'ContainerSource', metadata: { name: 'bridge', namespace: 'millrace' } },
    ]);
  });

  it('renders the same from the package of a release', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'millrace-chart-'));
    try {
      await mkdir(join(folder, 'chart'));
      const file = join(folder, `chart/millrace-${packageJson.version}.tgz`);
      await writeFile(file, await chartPackage(await generatedFiles()));
      const command = documented(
        'helm install millrace chart/millrace-*.tgz -n millrace --create-namespace',
      );
      const rendering = command.replace('helm install', '"$HELM" template');
      const flags = '--kube-version 1.36.3 --skip-tests';
      const { stdout } = await run('sh', ['-c', `${rendering} ${flags}`], {
        cwd: folder,
        env: { ...process.env, HELM: helm },
        maxBuffer: 64 * 1024 * 1024,
      });
      expect(byIdentity(manifestsIn(stdout))).toEqual(byIdentity(await render()));
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('keeps the kinds when it is uninstalled, unless a value says otherwise', async () => {
    const policyOf = async (...values: readonly string[]) =>
      new Set(
        (await render(...values))
          .filter(isDefinition)
          .map(({ metadata: { annotations } }) => JSON.stringify(annotations ?? {})),
      );
    const keep = JSON.stringify({ 'helm.sh/resource-policy': 'keep' });
    expect(await policyOf()).toEqual(new Set([keep]));
    expect(await policyOf('crds.keep=false')).toEqual(new Set(['{}']));
    expect(await policyOf('crds.enabled=false')).toEqual(new Set());
  });

  it('leaves out what its values exclude, and the namespace to Helm', async () => {
    const kindsOf = async (...values: readonly string[]) =>
      new Set((await render(...values)).map(({ kind }) => kind));
    expect(await kindsOf()).not.toContain('Namespace');
    const less = await kindsOf('networkPolicy.enabled=false', 'podDisruptionBudget.enabled=false');
    expect(less).not.toContain('NetworkPolicy');
    expect(less).not.toContain('PodDisruptionBudget');
  });

  it('does with every Pod what the values say', async () => {
    const rendered = await render(
      'image.prefix=registry.example.com/batch',
      'image.tag=main',
      'nodeSelector.disk=ssd',
      'processes.flow-advance.replicas=3',
      'policy=nodeName=warn\\,capabilities:NET_ADMIN=allow',
    );
    const deployment = rendered.find(
      ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'flow-advance',
    );
    expect(deployment).toMatchObject({
      spec: {
        replicas: 3,
        template: {
          spec: {
            nodeSelector: { disk: 'ssd' },
            containers: [
              {
                image: 'registry.example.com/batch/flow-advance:main',
                env: expect.arrayContaining([
                  { name: 'MILLRACE_POLICY', value: 'nodeName=warn,capabilities:NET_ADMIN=allow' },
                ]) as unknown,
              },
            ],
          },
        },
      },
    });
  });

  it('trusts namespaces in each function where the values say so, and in none by default', async () => {
    const variable = 'MILLRACE_TRUST_NAMESPACES';
    const trusting = async (...values: readonly string[]) =>
      (await render(...values)).flatMap((manifest) =>
        JSON.stringify(manifest).includes(`{"name":"${variable}","value":"true"}`)
          ? [manifest.metadata.name]
          : [],
      );
    expect(await trusting()).toEqual([]);
    expect((await trusting('trustNamespaces=true')).toSorted()).toEqual([
      'appwrapper-lifecycle',
      'daemon-fanout',
      'flow-advance',
      'kueue-workload-sync',
      'suspend-schedule',
    ]);
  });

  it.each([
    ['redis.trail=false', "additional properties 'trail' not allowed"],
    ['processes.flow-advance.replicas=many', 'got string, want integer'],
    ['logLevel=loud', 'value must be one of'],
  ])('refuses %s', async (value, words) => {
    await expect(render(value)).rejects.toThrow(words);
  });
});

function isDefinition({ kind }: InstalledManifest): boolean {
  return kind === 'CustomResourceDefinition';
}

/** Except for fields that only Helm understands. */
function withoutHelm(manifest: InstalledManifest): InstalledManifest {
  const { name } = manifest.metadata;
  return { ...manifest, metadata: { ...omit(manifest.metadata, 'annotations'), name } };
}
