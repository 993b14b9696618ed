/** Deletes finished Jobs after spec.ttlSecondsAfterFinished (KEP-592, pkg/controller/ttlafterfinished). */
import { parseTime } from '#shared/domain/time.ts';
import type { StoreEvent } from '../../store/object-store.ts';
import type { Controller, ControllerContext } from '../controller.ts';
import { isKind, kindOf } from '../kinds.ts';
import { asJob, isJobFinished, type Job } from '../objects/job.ts';
import { Writes } from '../writes.ts';

export class TimeToLiveController implements Controller {
  readonly name = 'ttl-after-finished';

  keysFor({ resourceType, object, type }: StoreEvent): readonly string[] {
    if (!isKind(resourceType, 'jobs') || type === 'DELETED') return [];
    const { namespace = '', name } = object.metadata;
    return expiryMs(asJob(object)) === undefined ? [] : [`${namespace} ${name}`];
  }

  reconcile(key: string, { api, clock }: ControllerContext): number | undefined {
    const [namespace = '', name = ''] = key.split(' ');
    const type = kindOf(api, 'jobs');
    const object = api.store.get(type, namespace, name);
    const expiry = object && expiryMs(asJob(object));
    if (object === undefined || expiry === undefined) return undefined;
    if (clock.now() < expiry) return expiry;
    const writes = new Writes(api, 'kube-controller-manager');
    writes.delete(type, object, { propagationPolicy: 'Foreground' });
    return undefined;
  }
}

function expiryMs(job: Job): number | undefined {
  const { ttlSecondsAfterFinished } = job.spec;
  if (ttlSecondsAfterFinished === undefined || !isJobFinished(job)) return undefined;
  if (job.metadata.deletionTimestamp !== undefined) return undefined;
  const finished = job.status?.conditions?.find(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  );
  const finishedMs = parseTime(finished?.lastTransitionTime);
  return finishedMs === undefined ? undefined : finishedMs + ttlSecondsAfterFinished * 1000;
}
