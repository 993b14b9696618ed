/** kueue-workload-sync in the simulation: judged by its effects (queue-witness.ts), without a model of it. */
import { kueueWorkloadSync } from '#functions/kueue-workload-sync/function.ts';
import type { QueueSnapshot } from '#functions/kueue-workload-sync/snapshot.ts';
import { asResourceVersion } from '#shared/domain/objects.ts';
import { noModel, type JudgedKind } from '../model/kind-model.ts';

/** For an owner that is gone. */
const noLaterVersion = asResourceVersion('Infinity');

export const judgedQueues: JudgedKind<QueueSnapshot> = {
  fn: kueueWorkloadSync,
  plays: ({ queues }) => queues !== undefined,
  reportsOn: ['JobFlow', 'AppWrapper'],
  about: ({ key, job }) => job?.metadata ?? { ...key, resourceVersion: noLaterVersion },
  newModel: () => noModel,
};
