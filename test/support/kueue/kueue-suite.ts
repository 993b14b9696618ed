/** A suite of flows against a control plane with a real Kueue beside it. */
import { afterAll, beforeAll, expect, inject, it, vi } from 'vitest';
import { kueueWorkloadSync, syncWith } from '#functions/kueue-workload-sync/function.ts';
import { defaultRules, type QueueRules } from '#functions/kueue-workload-sync/queue-settings.ts';
import { functions as everyFunction } from '#functions/list.ts';
import type { ClusterFacts } from '../cluster-setup.ts';
import { kubectlOrThrow, kubectlWith } from '../control-plane/kubectl.ts';
import { describeFlowsWith, type FlowSuite } from '../flow-suite.ts';
import { reportProgress } from '../part-unavailable.ts';
import { obtainKueue } from './program.ts';
import { type Kueue, startKueue } from './start.ts';

export interface KueueSuite extends FlowSuite {
  readonly kueue: () => Kueue;
  /** As admin; `args` go to `kubectl apply`. */
  readonly apply: (items: readonly object[], ...args: readonly string[]) => Promise<string>;
}

export interface KueueSuiteOptions {
  /** Millrace's settings about Kueue's configuration. */
  readonly rules?: Partial<QueueRules>;
  /** Replaces members of Kueue's own configuration during the file. */
  readonly otherwise?: object;
}

async function restarted(kueue: Kueue | undefined, otherwise?: object): Promise<void> {
  await kueue?.kill();
  await kueue?.start(otherwise);
}

/** Shared by all files of a worker. The process's guard ends it with the worker. */
let started: Promise<Kueue> | undefined;

async function start({ kubeconfig, binaries }: ClusterFacts): Promise<Kueue> {
  const program = await obtainKueue(reportProgress);
  const cluster = {
    kubectl: kubectlWith(binaries.kubectl, kubeconfig),
    adminKubeconfig: kubeconfig,
  };
  return startKueue({ cluster, program });
}

/**
 * For files of the project `kueue`: other suites need Jobs without Kueue's webhooks. After `body`, a test deletes
 * all queued objects, so that the next file finds no quota in use.
 */
export function describeKueue(
  name: string,
  body: (suite: KueueSuite) => void,
  { rules = {}, otherwise }: KueueSuiteOptions = {},
): void {
  let kueue: Kueue | undefined;
  beforeAll(async () => {
    const facts = inject('cluster');
    if (facts !== undefined) kueue = await (started ??= start(facts));
    if (otherwise !== undefined) await restarted(kueue, otherwise);
  });
  afterAll(async () => {
    if (otherwise !== undefined) await restarted(kueue);
  });
  const functions = everyFunction.map((fn) =>
    fn.subscription === kueueWorkloadSync.subscription
      ? syncWith({ ...defaultRules, ...rules })
      : fn,
  );
  describeFlowsWith({ functions }, name, (suite) => {
    const running = (): Kueue => {
      if (kueue === undefined) throw new Error('the Kueue of this file is not up');
      return kueue;
    };
    const apply = (items: readonly object[], ...args: readonly string[]): Promise<string> =>
      kubectlOrThrow(suite.cluster.kubectl, ['apply', '--server-side', '-f', '-', ...args], {
        input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
      });
    body(Object.assign(suite, { kueue: running, apply }));
    it('leaves no Workload when what was queued is deleted', async () => {
      const api = suite.api();
      for (const namespace of suite.namespaces) {
        for (const kind of ['AppWrapper', 'JobFlow', 'DaemonJob', 'Job'] as const) {
          await api.deleteAll(kind, namespace);
        }
      }
      await vi.waitFor(async () => {
        const lists = await Promise.all(suite.namespaces.map((each) => api.list('Workload', each)));
        const left = lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name));
        expect(left).toEqual([]);
      });
    });
  });
}
