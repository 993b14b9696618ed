/**
 * Kueue's object through which work in a queue is held. Otherwise both Kueue and a policy would write `spec.suspend`,
 * for ever.
 */
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { stripMetadata } from '#shared/domain/strip-metadata.ts';
import { hasCondition } from './progress.ts';
import type { Switch } from './work-kind.ts';

const finished: ReadonlySet<unknown> = new Set(['Finished']);

/** Kueue evicts an inactive Workload and keeps it out (apis/kueue/v1beta2/workload_types.go). */
export const workloadWork: { readonly resource: Resource; readonly suspension: Switch } = {
  resource: resources.Workload,
  suspension: {
    stopOf: ({ active }) => (active === false ? 'everything' : 'nothing'),
    specWith: (stop) => ({ active: stop === 'nothing' }),
    asRead: true,
  },
};

/** Nothing of it is left to run. */
export function isFinished({ status }: KubeObject): boolean {
  return hasCondition(fieldsOf(status), finished);
}

/** The part that views keep. Only Kueue needs its quota and checks. */
export function keepOfWorkload(object: KubeObject): KubeObject {
  const { apiVersion, kind, metadata } = stripMetadata(object);
  const { active } = fieldsOf(object.spec);
  return {
    apiVersion,
    kind,
    metadata,
    spec: active === undefined ? {} : { active },
    status: { conditions: isFinished(object) ? [{ type: 'Finished', status: 'True' }] : [] },
  };
}
