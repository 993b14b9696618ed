/**
 * pods/eviction (pkg/registry/core/pod/storage/eviction.go): the Pod gets the condition with the reason of its end, and
 * is then deleted. Nothing limits disruptions here.
 */
import { badRequest } from '../apimachinery/status-error.ts';
import type { AdmissionSteps } from './admission-step.ts';
import type { ApiAnswer } from './api-answer.ts';
import type { ApiCall, CallOptions } from './api-call.ts';
import { checkPreconditions, remove } from './delete.ts';
import { commitOrFail, done, located } from './subresources.ts';
import { timeOf, type World } from './world.ts';

interface Eviction {
  readonly metadata?: { readonly name?: string };
  readonly deleteOptions?: Pick<CallOptions, 'gracePeriodSeconds' | 'preconditions'> & {
    readonly dryRun?: readonly string[];
  };
}

export function* evict(world: World, call: ApiCall): AdmissionSteps<ApiAnswer> {
  const { metadata, deleteOptions = {} } = (call.body ?? {}) as Eviction;
  if (metadata?.name !== call.name) {
    throw badRequest('name in URL does not match name in Eviction object');
  }
  const { dryRun: asked = [], preconditions = {}, ...grace } = deleteOptions;
  const dryRun = call.options.dryRun === true || asked.length > 0;
  const deletion = (of: CallOptions['preconditions'] = {}): ApiCall => ({
    ...call,
    verb: 'delete',
    subresource: '',
    options: { ...grace, dryRun, preconditions: of },
  });
  if (!dryRun) tellDisruption(world, deletion(preconditions));
  // The requested version is no longer the latest, because the condition has been written.
  const { uid } = preconditions;
  const left = dryRun ? preconditions : uid === undefined ? {} : { uid };
  yield* remove(world, deletion(left), undefined);
  return done();
}

const disrupted = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  message: 'Eviction API: evicting',
};

function tellDisruption(world: World, call: ApiCall): void {
  const found = located(world, call);
  checkPreconditions(found.live, call);
  const { conditions = [] } = (found.live.status ?? {}) as { conditions?: readonly Condition[] };
  const present = conditions.find(({ type }) => type === disrupted.type);
  const lastTransitionTime =
    present?.status === disrupted.status ? present.lastTransitionTime : timeOf(world);
  const condition = { ...disrupted, lastProbeTime: null, lastTransitionTime };
  const others = conditions.filter((each) => each !== present);
  const status = { ...(found.live.status as object), conditions: [...others, condition] };
  commitOrFail(world, call, found, { ...found.live, status });
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly lastTransitionTime: string;
}
