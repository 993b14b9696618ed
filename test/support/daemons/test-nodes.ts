/**
 * Nodes of one test. Nodes are cluster-scoped, and other suites run in the cluster. So these have a label
 * and a taint of their own, and are removed at the end of the test.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { KubeObject } from '#shared/domain/objects.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import { ApiRefusal, type ClusterApi } from '../flows/cluster-api.ts';

export const poolLabel = 'test.millrace.dev/pool';
export const testTaint = 'test.millrace.dev/only';

const atOnce = 32;
const resources = { cpu: '64', memory: '256Gi', pods: '1000' };

export interface NodeFields {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly unschedulable?: boolean;
}

export class TestNodes {
  readonly pool: string;
  readonly #api: ClusterApi;
  readonly #created = new Set<string>();

  /** Call it inside a test: its objects are removed with the test. */
  constructor(
    api: ClusterApi,
    pool: string,
    onFinished: (cleanUp: () => Promise<void>) => void = onTestFinished,
  ) {
    this.#api = api;
    this.pool = pool;
    onFinished(() => this.#removeAll());
  }

  /** `<pool>-<name>`, because names of nodes are cluster-wide. */
  named(name: string): string {
    return `${this.pool}-${name}`;
  }

  /** Returns their full names in this order. */
  async add(names: readonly string[], fields: NodeFields = {}): Promise<readonly string[]> {
    const all = names.map((name) => this.named(name));
    await this.addNamed(all, fields);
    return all;
  }

  async addNamed(names: readonly string[], fields: NodeFields = {}): Promise<void> {
    await this.each(names, (name) => this.#add(name, fields));
  }

  /** For all of these, some at a time: there may be a thousand. */
  async each(names: readonly string[], change: (name: string) => Promise<unknown>): Promise<void> {
    const { errors } = await eachBounded(names, atOnce, change);
    if (errors.length > 0) throw errors[0];
  }

  patch(name: string, patch: unknown, subresource?: 'status'): Promise<KubeObject> {
    return this.#api.patch('Node', { namespace: '', name }, patch, subresource);
  }

  async remove(name: string): Promise<void> {
    try {
      await this.#api.delete('Node', { namespace: '', name });
    } catch (error) {
      if (!(error instanceof ApiRefusal && error.code === 404)) throw error;
    }
    this.#created.delete(name);
  }

  /**
   * Returns when the node has only the given taints. Every node begins with a taint that the node
   * controller removes, in any order for several nodes.
   */
  async #add(name: string, fields: NodeFields): Promise<void> {
    await this.#create(name, fields);
    const beginning = 'node.kubernetes.io/not-ready';
    for (;;) {
      const node = await this.#api.get('Node', { namespace: '', name });
      const { taints = [] } = (node?.spec ?? {}) as { taints?: readonly { key: string }[] };
      if (!taints.some(({ key }) => key === beginning)) return;
      await sleep(20);
    }
  }

  async #create(name: string, { labels, taints = [], unschedulable }: NodeFields): Promise<void> {
    this.#created.add(name);
    await this.#api.create('', {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {
        name,
        annotations: { 'kwok.x-k8s.io/node': 'fake' },
        labels: { [poolLabel]: this.pool, 'kubernetes.io/hostname': name, ...labels },
      },
      spec: {
        taints: [{ key: testTaint, effect: 'NoSchedule' }, ...taints],
        ...(unschedulable === undefined ? {} : { unschedulable }),
      },
      // As a kubelet would report it; kwok keeps it.
      status: {
        allocatable: resources,
        capacity: resources,
        conditions: [{ type: 'Ready', status: 'True' }],
      },
    } as Parameters<ClusterApi['create']>[1]);
  }

  async #removeAll(): Promise<void> {
    await this.each([...this.#created], (name) => this.remove(name));
  }
}
