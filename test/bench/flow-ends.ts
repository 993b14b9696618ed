import type { JobFlow } from '#shared/api/job-flow.ts';
import { resources } from '#shared/domain/resources.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import { endlessWatch } from './endless-watch.ts';

/** A flow ended as Failed, with the message of its status. */
export class FlowFailed extends Error {
  override readonly name = 'FlowFailed';
}

interface FlowName {
  readonly namespace?: string;
  readonly name: string;
}

/**
 * Reports which flows have ended. Only ended ones are watched: receiving every change of a flow
 * with thousands of steps would cost more than the measurement.
 */
export class FlowEnds {
  readonly #broken = Promise.withResolvers<never>();
  readonly #ends = new Map<string, PromiseWithResolvers<JobFlow>>();

  private constructor() {
    this.broken.catch(() => undefined);
  }

  /** Rejects when the watch has ended. */
  get broken(): Promise<never> {
    return this.#broken.promise;
  }

  static async watch(client: KubeClient, signal: AbortSignal): Promise<FlowEnds> {
    const { resourceVersion } = await client.list(resources.JobFlow, { limit: 1 });
    const ends = new FlowEnds();
    const watchState = async (state: string): Promise<void> => {
      const options = { fieldSelector: `status.state=${state}`, resourceVersion, signal };
      for await (const { type, object } of endlessWatch(client, resources.JobFlow, options)) {
        if (type === 'ADDED') ends.#note(object as JobFlow);
      }
    };
    for (const state of ['Succeed', 'Failed']) watchState(state).catch(ends.#broken.reject);
    return ends;
  }

  /** Fulfils when the flow has succeeded. Rejects with FlowFailed. */
  async of(flow: FlowName): Promise<void> {
    await this.#endOf(flow).promise;
  }

  #note(flow: JobFlow): void {
    const { metadata, status = {} } = flow;
    const { promise, resolve, reject } = this.#endOf(metadata);
    promise.catch(() => undefined);
    if (status.state === 'Succeed') resolve(flow);
    else reject(new FlowFailed(`${status.reason ?? 'Failed'}: ${status.message ?? ''}`));
  }

  #endOf({ namespace = '', name }: FlowName): PromiseWithResolvers<JobFlow> {
    const key = `${namespace}/${name}`;
    const known = this.#ends.get(key) ?? Promise.withResolvers<JobFlow>();
    this.#ends.set(key, known);
    return known;
  }
}
