/** The recorded conditions of a component, and how they change. */
import type { ComponentStatus } from '#shared/api/app-wrapper.ts';
import { type Condition, conditionStatus, withCondition } from '#shared/domain/conditions.ts';
import { parseTime } from '#shared/domain/time.ts';
import { shortened } from '#shared/domain/wording.ts';
import { componentName } from '../component-name.ts';
import { type Part, type Situation, wordsOf } from './situation.ts';

/** Reasons of the original controller. Other tools wait for the misspelt one. */
type Reason =
  | 'ComponentCreationInitiated'
  | 'ComponentCreatedSuccessfully'
  | 'ComponentCreationErrored'
  | 'CompononetDeleted';

const longestMessage = 1_024;

/** The component was created, or its creation is recorded as begun. */
function mayExist({ recorded: { conditions } }: Part): boolean {
  const deployed = conditionStatus(conditions, 'ResourcesDeployed');
  return deployed === 'True' || deployed === 'Unknown';
}

/** When it was created in this try, milliseconds since the epoch. Undefined: not yet. */
export function createdAtMs({ recorded: { conditions } }: Part): number | undefined {
  const deployed = conditions?.find(({ type }) => type === 'ResourcesDeployed');
  return deployed?.status === 'True' ? parseTime(deployed.lastTransitionTime) : undefined;
}

/** It has succeeded, and may have been removed since. */
export function hasSucceeded({ recorded: { conditions }, observed }: Part): boolean {
  return observed.object?.end?.isSuccess ?? conditionStatus(conditions, 'Finished') === 'True';
}

/** Records the name before the create. */
export function initiated({ wrapper, nowMs }: Situation, part: Part): ComponentStatus {
  const name = componentName(part.component.template, wrapper.metadata.uid, part.index);
  const message = `${part.recorded.kind} ${name} is being created`;
  const { recorded } = part;
  const conditions = (recorded.conditions ?? []).filter(({ type }) => type !== 'Finished');
  return deployedAs({ ...recorded, name, conditions }, nowMs, {
    status: 'Unknown',
    reason: 'ComponentCreationInitiated',
    message,
  });
}

export function created({ nowMs }: Situation, part: Part): ComponentStatus {
  const message = `${wordsOf(part)} was created`;
  return deployedAs(part.recorded, nowMs, {
    status: 'True',
    reason: 'ComponentCreatedSuccessfully',
    message,
  });
}

export function refused({ nowMs }: Situation, part: Part, why: string): ComponentStatus {
  return deployedAs(part.recorded, nowMs, {
    status: 'False',
    reason: 'ComponentCreationErrored',
    message: shortened(why, longestMessage),
  });
}

/** One that could not be created keeps the reason: it was never there, so it is not gone. */
export function deleted({ nowMs }: Situation, part: Part): ComponentStatus {
  if (!mayExist(part)) return part.recorded;
  const message = `${wordsOf(part)} is gone`;
  return deployedAs(part.recorded, nowMs, {
    status: 'False',
    reason: 'CompononetDeleted',
    message,
  });
}

/** Recorded, because the component's own controller may remove it afterwards. */
export function finished({ nowMs }: Situation, part: Part): ComponentStatus {
  const { recorded } = part;
  const message = `${wordsOf(part)} has succeeded`;
  const condition = { type: 'Finished', status: 'True', reason: 'Succeeded', message } as const;
  return { ...recorded, conditions: withCondition(recorded.conditions ?? [], condition, nowMs) };
}

type Deployed = Pick<Condition, 'status' | 'message'> & { readonly reason: Reason };

function deployedAs(recorded: ComponentStatus, nowMs: number, deployed: Deployed): ComponentStatus {
  const condition = { type: 'ResourcesDeployed', ...deployed };
  return { ...recorded, conditions: withCondition(recorded.conditions ?? [], condition, nowMs) };
}
