/**
 * One namespace of a real cluster in which a test acts as the user: it applies, waits and reads.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject } from '#shared/domain/objects.ts';
import type { ResourceKind } from '#shared/domain/resources.ts';
import { eachBounded } from '#shared/kube/bounded.ts';
import { type Kubectl, kubectlOrThrow } from './control-plane/kubectl.ts';
import type { PodObject } from './flows/batch-objects.ts';
import { ApiRefusal, type Manifest } from './flows/cluster-api.ts';
import type { NamespaceParts } from './flows/namespace-view.ts';
import { NamespaceWaits } from './flows/namespace-waits.ts';

export {
  fiveJobs,
  flow,
  jobTemplate,
  malformedFlow,
  step,
  type StepOptions,
  untilEnded,
  work,
} from './flows/flow-manifest.ts';
export { has } from './flows/batch-objects.ts';
export type { Histories } from './flows/histories.ts';

export class FlowWorld extends NamespaceWaits {
  readonly #kubectl: Kubectl;

  constructor(namespace: string, parts: NamespaceParts) {
    super(namespace, parts);
    this.#kubectl = parts.kubectl;
  }

  /** Server-side apply. Throws ApiRefusal if the API server refuses. */
  apply(...objects: readonly Manifest[]): Promise<readonly KubeObject[]> {
    return Promise.all(objects.map((object) => this.api.apply(this.namespace, object)));
  }

  /** The API server's refusal of this object. Fails if the object is stored. */
  async refusalOf(object: Manifest): Promise<ApiRefusal> {
    try {
      await this.api.apply(this.namespace, object);
    } catch (error) {
      if (error instanceof ApiRefusal) return error;
      throw error;
    }
    throw new Error(`${object.kind} ${object.metadata.name} was accepted`);
  }

  patch(kind: ResourceKind, name: string, patch: unknown, subresource?: 'status') {
    return this.api.patch(kind, { namespace: this.namespace, name }, patch, subresource);
  }

  patchFlow(name: string, patch: unknown) {
    return this.patch('JobFlow', name, patch);
  }

  delete(kind: ResourceKind, name: string, propagation?: 'Foreground' | 'Background' | 'Orphan') {
    return this.api.delete(kind, { namespace: this.namespace, name }, propagation);
  }

  /**
   * kubectl's output for this namespace. Throws kubectl's own message if the exit code is not 0.
   */
  kubectl(args: readonly string[], input?: string): Promise<string> {
    const all = ['--namespace', this.namespace, ...args];
    return kubectlOrThrow(this.#kubectl, all, input === undefined ? {} : { input });
  }

  /** Ends the running Pod of this Job with this exit code, as its container would. */
  async endPod(jobName: string, exitCode = 0): Promise<void> {
    await this.#end(await this.#currentPod(jobName), exitCode);
  }

  /** Ends each Pod with exit code 0 as soon as it runs, until the signal aborts. */
  async endPods(signal: AbortSignal): Promise<void> {
    const ended = new Set<string>();
    while (!signal.aborted) {
      const running = this.pods().filter(
        ({ metadata, status }) => status?.phase === 'Running' && !ended.has(metadata.uid),
      );
      for (const pod of running) ended.add(pod.metadata.uid);
      const { errors } = await eachBounded(running, 16, (pod) =>
        this.#end(pod, 0).catch(throwUnlessGone),
      );
      if (errors.length > 0) throw errors[0];
      await sleep(50);
    }
  }

  async #end(pod: PodObject, exitCode: number): Promise<void> {
    const terminated = { exitCode, reason: exitCode === 0 ? 'Completed' : 'Error' };
    const containerStatuses = pod.spec.containers.map(({ name }) => ({
      name,
      image: 'busybox:1.28',
      imageID: '',
      ready: false,
      restartCount: 0,
      state: { terminated },
    }));
    const phase = exitCode === 0 ? 'Succeeded' : 'Failed';
    await this.patch('Pod', pod.metadata.name, { status: { phase, containerStatuses } }, 'status');
  }

  /** Reads from the API server: the watch may still show a suspended or ended Pod. */
  async #currentPod(jobName: string): Promise<PodObject> {
    for (;;) {
      const seen = await this.untilRunning(jobName);
      const { namespace } = this;
      const now = await this.api.get('Pod', { namespace, name: seen.metadata.name });
      const { phase } = fieldsOf(now?.status);
      if (phase === 'Running' && now?.metadata.deletionTimestamp === undefined) return seen;
      await sleep(20);
    }
  }
}

/** A Pod may be deleted while the test ends it. */
function throwUnlessGone(error: unknown): void {
  if (!(error instanceof ApiRefusal && error.code === 404)) throw error;
}
