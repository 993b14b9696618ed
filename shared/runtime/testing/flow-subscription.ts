import { resources } from '#shared/domain/resources.ts';
import type { Subscription } from '#shared/subscription/subscription.ts';

const whole = {
  fingerprint: () => null,
  keep: (object: Parameters<Subscription['watches'][number]['keep']>[0]) => object,
};

/** Like flow-advance's: JobFlows, their Jobs, and templates by an index. */
export const flowSubscription: Subscription = {
  name: 'flow-advance',
  decides: [resources.JobFlow],
  kinds: [],
  watches: [
    { resource: resources.JobFlow, leadsTo: 'self', ...whole },
    { resource: resources.Job, only: 'children', leadsTo: 'controller', ...whole },
    { resource: resources.JobTemplate, leadsTo: () => () => [], ...whole },
  ],
  isUnfinished: () => false,
  access: [],
};
