import { fieldsOf, listOf } from '#shared/domain/json-value.ts';
import { resources } from '#shared/domain/resources.ts';
import { wrapperController } from '#shared/domain/wrapper-keys.ts';
import { hasCondition } from './progress.ts';
import { appWrapperQueueing } from './queueing/app-wrapper.ts';
import { bySuspend } from './switches.ts';
import type { WorkKind } from './work-kind.ts';

const ended: ReadonlySet<unknown> = new Set(['Succeeded', 'Failed']);
const deployed: ReadonlySet<unknown> = new Set(['QuotaReserved', 'ResourcesDeployed']);

export const appWrapperWork: WorkKind = {
  resource: resources.AppWrapper,
  isOurs: true,
  isQueued: true,
  queueing: appWrapperQueueing,
  suspension: {
    ...bySuspend,
    hasEnded: ({ status }) => ended.has(status['phase']),
    isActive: ({ status }) => hasCondition(status, deployed),
    // The condition stays, as False, after another suspension.
    hasRun: ({ status }) =>
      listOf(status['conditions']).some((each) => fieldsOf(each)['type'] === 'QuotaReserved'),
    ownController: wrapperController,
  },
};
