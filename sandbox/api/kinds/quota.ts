/** Kinds of which the sandbox has no objects and accepts none: nothing would enforce their limits. */
import type { ApiCall } from '../api-call.ts';
import { StatusError } from '../../apimachinery/status-error.ts';
import { ownStatus, plain, type Strategy } from '../strategy.ts';

export const resourceQuota: Strategy = { ...ownStatus, refuse: refuseToCreate };
export const limitRange: Strategy = { ...plain, refuse: refuseToCreate };

function refuseToCreate({ verb, type }: ApiCall): void {
  if (verb !== 'create' && verb !== 'update' && verb !== 'patch') return;
  const message = `the sandbox does not simulate ${type.plural}: nothing would enforce this ${type.kind}`;
  throw new StatusError(501, 'NotImplemented', message);
}
