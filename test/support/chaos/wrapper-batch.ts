/** Queued AppWrappers, observed by polling: the test's own watch would not survive the faults. */
import { setTimeout as sleep } from 'node:timers/promises';
import { asWorkload, holds } from '#functions/kueue-workload-sync/workload.ts';
import { conditionStatus } from '#shared/domain/conditions.ts';
import { wrapperLabels } from '#shared/domain/wrapper-keys.ts';
import { createdTwice, successfulCreates } from '../audit-log.ts';
import { kubectlOrThrow, type Kubectl } from '../control-plane/kubectl.ts';
import type { ClusterApi } from '../flows/cluster-api.ts';
import { container, queued } from '../kueue/queued.ts';
import {
  appWrapper,
  statusOf,
  wrappedJob,
  wrappedPod,
  wrappedService,
} from '../wrappers/wrapper-manifests.ts';

const pollMs = 250;
/** Each AppWrapper has a Pod, a Job with one Pod, and a Service. */
const partsOfEach: ReadonlySet<string> = new Set(['pods', 'jobs', 'services']);
const work = {
  pod: { restartPolicy: 'Never', containers: [container('1')] },
  runFor: '500ms',
};

export interface WrapperBatchPlace {
  readonly api: ClusterApi;
  /** As admin. */
  readonly kubectl: Kubectl;
  readonly namespace: string;
}

export class WrapperBatch {
  readonly #place: WrapperBatchPlace;
  readonly #names: readonly string[];

  private constructor(place: WrapperBatchPlace, names: readonly string[]) {
    this.#place = place;
    this.#names = names;
  }

  /** Each requests two CPUs. */
  static async apply(place: WrapperBatchPlace, count: number): Promise<WrapperBatch> {
    const { api, namespace } = place;
    await api.create('', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const names = Array.from({ length: count }, (_, index) => `wrapper-${index}`);
    const manifests = names.map((name) =>
      queued(
        appWrapper(name, [
          wrappedPod(`${name}-pod`, work),
          wrappedJob(`${name}-job`, work),
          wrappedService(`${name}-service`),
        ]),
      ),
    );
    await Promise.all(manifests.map((manifest) => api.apply(namespace, manifest)));
    return new WrapperBatch(place, names);
  }

  /** Waits until this share has succeeded; returns the actual share. */
  async untilDone(share: number, withinMs: number): Promise<number> {
    const deadline = performance.now() + withinMs;
    for (;;) {
      const phases = await this.#phases().catch((error: unknown) => String(error));
      const done =
        typeof phases === 'string'
          ? 0
          : phases.filter((phase) => phase === 'Succeeded').length / this.#names.length;
      if (done >= share) return done;
      if (performance.now() > deadline) {
        throw new Error(`not ${share} have succeeded within ${withinMs} ms: ${String(phases)}`);
      }
      await sleep(pollMs);
    }
  }

  /**
   * The faults at the end. A request of a killed client, or to a killed server, may be stored and not logged.
   * It is found among the existing objects.
   */
  async faults(auditLog: string): Promise<readonly string[]> {
    const { api, namespace } = this.#place;
    const created = await successfulCreates(auditLog, { namespace });
    // The Endpoints of a Service have the Service's name.
    const components = created.filter(
      ({ name, resource }) => partsOfEach.has(resource) && /-(?:pod|job|service)$/.test(name),
    );
    const workloads = created.filter(({ resource }) => resource === 'workloads');
    const { items } = await api.list('AppWrapper', namespace);
    const holding = items.filter(
      (each) => conditionStatus(statusOf(each).conditions, 'QuotaReserved') !== 'False',
    );
    const left = (await api.list('Workload', namespace)).items.map(asWorkload);
    const unfinished = left.filter((each) => !holds(each, 'Finished'));
    return [
      ...createdTwice(components).map((name) => `${name} was created twice`),
      ...createdTwice(workloads).map((name) => `Workload ${name} was created twice`),
      ...(await this.#missing()),
      ...items.flatMap((each) => {
        const { phase = '', resettingCount = 0 } = statusOf(each);
        const isRight = phase === 'Succeeded' && resettingCount === 0;
        return isRight ? [] : [`${each.metadata.name}: ${phase}, ${resettingCount} resets`];
      }),
      ...holding.map(({ metadata }) => `${metadata.name} holds its quota`),
      ...unfinished.map(({ metadata }) => `Workload ${metadata.name} is not finished`),
    ];
  }

  /** The existing wrapped objects, as `KIND/NAME`. */
  async components(): Promise<readonly string[]> {
    const { kubectl, namespace } = this.#place;
    const kinds = [...partsOfEach].join(',');
    const args = ['get', kinds, '-n', namespace, '-l', wrapperLabels.wrapper, '-o', 'name'];
    const printed = await kubectlOrThrow(kubectl, args);
    return printed.split('\n').filter((line) => line !== '');
  }

  /** CPUs of the Workloads with reserved quota. */
  async reserved(clusterQueue: string): Promise<string> {
    const path = 'jsonpath={.status.flavorsReservation[0].resources[0].total}';
    const args = ['get', 'clusterqueues', clusterQueue, '-o', path];
    return kubectlOrThrow(this.#place.kubectl, args);
  }

  async delete(): Promise<void> {
    const { kubectl, namespace } = this.#place;
    await kubectlOrThrow(kubectl, ['delete', 'appwrappers', '--all', '-n', namespace]);
  }

  async #missing(): Promise<readonly string[]> {
    const found = new Set(await this.components());
    const wanted = this.#names.flatMap((name) => [
      ...[`pod/${name}-pod`, `job.batch/${name}-job`, `service/${name}-service`],
    ]);
    return wanted.filter((name) => !found.has(name)).map((name) => `${name} is missing`);
  }

  async #phases(): Promise<readonly (string | undefined)[]> {
    const { items } = await this.#place.api.list('AppWrapper', this.#place.namespace);
    return items.map((each) => statusOf(each).phase);
  }
}
