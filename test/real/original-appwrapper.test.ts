/**
 * The end-to-end tests of the original AppWrapper controller, unchanged, against Millrace: with the real Kueue and the
 * operators of JobSets and PyTorchJobs. Those that request more than the real node has run on simulated nodes.
 */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { documented } from '#test/support/documented-commands.ts';
import { reportProgress } from '#test/support/part-unavailable.ts';
import { kubectlPatience } from '#test/support/patience.ts';
import { tagBusybox } from './cluster/images.ts';
import { installKueue, removeKueue } from './cluster/kueue.ts';
import {
  installOperators,
  obtainOriginalTests,
  removeOperators,
} from './cluster/original-appwrapper.ts';
import type { RealCluster } from './cluster/real-cluster.ts';
import { rolledOut } from './cluster/rollout.ts';
import { addSimulatedNodes, removeSimulatedNodes } from './cluster/simulated-nodes.ts';
import { readyAfter } from './overlays.ts';
import { describeOnRealCluster } from './require.ts';

const realNode = 'minikube';
const simulatedNodes = ['simulated-0', 'simulated-1'];
/** They request 2 CPUs at once, 100 Pods, or a second node with GPUs. */
const large = 'Basic Queuing|Child Jobs Batch Job|migrated away|Load Testing';
/** The image of their Pods. */
const busybox = 'quay.io/project-codeflare/busybox:1.36';
const namespace = 'e2e-test';

interface Spec {
  readonly LeafNodeText: string;
  readonly ContainerHierarchyTexts: readonly string[] | null;
  readonly LeafNodeType: string;
  readonly State: string;
  readonly Failure?: { readonly Message: string };
}

describeOnRealCluster('the end-to-end tests of the original controller', (cluster) => {
  const { ask, type } = cluster;
  let program = '';
  beforeAll(async () => {
    program = await obtainOriginalTests(reportProgress);
    await tagBusybox(cluster, busybox);
    await installKueue(cluster, reportProgress);
    await installOperators(cluster, reportProgress);
    await addSimulatedNodes(cluster, simulatedNodes, reportProgress);
    for (const node of simulatedNodes) await addGpus(cluster, node);
    await readyAfter(cluster, 'millrace install --kueue', () =>
      type(documented('npx millrace install --kueue')),
    );
    // They expect the impatience of the original: a failed Pod that its Job has replaced resets the AppWrapper.
    const strict = 'MILLRACE_APPWRAPPER_STRICT=true';
    await ask(['-n', 'millrace', 'set', 'env', 'deployment/appwrapper-lifecycle', strict]);
    await rolledOut(cluster, 'millrace', ['appwrapper-lifecycle']);
  });
  afterAll(async () => {
    await ask(['delete', 'appwrappers', '--all', '-n', namespace, kubectlPatience]);
    await ask(['uncordon', realNode]);
    await ask(['delete', 'workloads', '--all', '-A', kubectlPatience]);
    await ask(['delete', 'namespace', namespace, kubectlPatience]);
    await ask(['delete', 'clusterqueues', '--all', kubectlPatience]);
    await ask(['delete', 'resourceflavors', '--all', kubectlPatience]);
    await removeSimulatedNodes(cluster, simulatedNodes);
    await removeOperators(cluster);
    await removeKueue(cluster);
  });

  /** The state of each chosen test by its name, with the words of a failure. */
  const run = async (...choice: readonly string[]): Promise<Readonly<Record<string, string>>> => {
    const report = join(cluster.facts.folder, 'original-tests.json');
    const filter = `-ginkgo.label-filter='Kueue || Webhook'`;
    const chosen = choice.map((each) => `'${each}'`).join(' ');
    // A failed test is an answer.
    await type(`${program} ${filter} ${chosen} -ginkgo.json-report=${report} >&2 || true`);
    const [suite] = JSON.parse(await readFile(report, 'utf8')) as readonly {
      readonly SpecReports: readonly Spec[];
    }[];
    await rm(report);
    const specs = suite?.SpecReports ?? [];
    return Object.fromEntries(
      specs
        .filter(({ LeafNodeType, State }) => LeafNodeType === 'It' && State !== 'skipped')
        .map(({ LeafNodeText, ContainerHierarchyTexts, State, Failure }) => [
          [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(': '),
          Failure === undefined ? State : `${State}: ${Failure.Message}`,
        ]),
    );
  };

  it('pass with containers', async () => {
    const states = await run(`-ginkgo.skip=${large}`);
    expect(failuresOf(states)).toEqual({});
    expect(Object.keys(states)).toHaveLength(26);
  });

  it('pass on nodes with more room', async () => {
    await ask(['uncordon', ...simulatedNodes]);
    await ask(['cordon', realNode]);
    const states = await run(`-ginkgo.focus=${large}`);
    expect(failuresOf(states)).toEqual({});
    expect(Object.keys(states)).toHaveLength(4);
  });
});

function failuresOf(states: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(states).filter(([, state]) => state !== 'passed'));
}

async function addGpus({ ask }: RealCluster, node: string): Promise<void> {
  const gpus = { 'nvidia.com/gpu': '8' };
  const status = { status: { capacity: gpus, allocatable: gpus } };
  const patch = ['--type=merge', '-p', JSON.stringify(status)];
  await ask(['patch', 'node', node, '--subresource=status', ...patch]);
}
