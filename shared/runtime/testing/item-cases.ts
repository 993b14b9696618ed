/** Failures of one run of an item, and what the function learns of refused writes. */
import type { Said } from '../function/event-function.ts';
import { MillraceError, type ErrorCode } from '#shared/domain/errors.ts';
import type { JsonObject, KubeObject } from '#shared/domain/objects.ts';
import type { KubeClient } from '#shared/kube/client.ts';
import type { ItemProcessorOptions } from '../function/process-item.ts';
import type { oneJob, OneJobSnapshot } from './one-job-function.ts';
import type { StoredCluster } from './stored-cluster.ts';

export type Change = (cluster: StoredCluster) => Partial<ItemProcessorOptions<OneJobSnapshot>>;
export const refusal = (code: ErrorCode, retryAfterMs?: number) =>
  new MillraceError(
    code,
    { verb: 'v', path: 'p', status: 500, reason: 'Conflict', detail: 'on purpose' },
    retryAfterMs === undefined ? {} : { retryAfterMs },
  );
/** Fails the first `times` calls of a verb. */
export function failing(verb: 'create' | 'patch', error: Error, times = Infinity): Change {
  return ({ client }) => {
    let left = times;
    const failOr = (act: () => Promise<KubeObject>): Promise<KubeObject> => {
      left -= 1;
      return left >= 0 ? Promise.reject(error) : act();
    };
    const create: KubeClient['create'] = (...args) => failOr(() => client.create(...args));
    const patch: KubeClient['patch'] = (...args) => failOr(() => client.patch(...args));
    return { client: { ...client, ...(verb === 'create' ? { create } : { patch }) } };
  };
}
export const unreadable =
  (error: Error): Change =>
  ({ reader }) => ({
    reader: { ...reader, get: () => Promise.reject(error) },
  });

/** The refusals that the function receives before its second decision. */
export function recordingRefusals(fn: typeof oneJob) {
  const refused: string[] = [];
  const knowing = (snapshot: OneJobSnapshot, { rejections }: Said): OneJobSnapshot => {
    refused.push(...rejections.map(({ name, code }) => `${name} ${code}`));
    return { ...snapshot, rejections };
  };
  return { fn: { ...fn, secondLook: { knowing } }, refused };
}

export const phaseOf = (cluster: StoredCluster) =>
  (cluster.objects('JobFlow')[0]?.status as JsonObject | undefined)?.['phase'];
