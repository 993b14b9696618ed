/**
 * Decides the next step of an AppWrapper. Pure: the same snapshot and time give the same bytes.
 *
 * Each phase has a decider, in the order of the original controller (internal/controller/appwrapper). Each decision
 * writes the status at most once, so that every phase is visible. The event of that write leads to the next decision.
 */
import type { AppWrapperPhase } from '#shared/api/app-wrapper.ts';
import { otherController } from '#shared/api/work/managed-by.ts';
import type { Decide } from '#shared/domain/decision.ts';
import { wrapperController } from '#shared/domain/wrapper-keys.ts';
import { notYet } from './decide/outcome.ts';
import { empty } from './decide/phases/empty.ts';
import { failed } from './decide/phases/failed.ts';
import { resetting } from './decide/phases/resetting.ts';
import { resuming } from './decide/phases/resuming.ts';
import { running } from './decide/phases/running.ts';
import { succeeded } from './decide/phases/succeeded.ts';
import { suspended } from './decide/phases/suspended.ts';
import { suspending } from './decide/phases/suspending.ts';
import { terminating } from './decide/phases/terminating.ts';
import { type Decider, openSituation } from './decide/situation.ts';
import type { LifecycleSnapshot } from './snapshot.ts';

const deciders: Readonly<Record<AppWrapperPhase | '', Decider>> = {
  '': empty,
  Suspended: suspended,
  Resuming: resuming,
  Running: running,
  Suspending: suspending,
  Resetting: resetting,
  Failed: failed,
  Succeeded: succeeded,
  Terminating: terminating,
};

export const decide: Decide<LifecycleSnapshot> = (snapshot, { nowMs }) => {
  const { wrapper } = snapshot;
  const other = otherController(wrapper.spec, wrapperController);
  if (other !== undefined) return notYet('ManagedByOther', `it is managed by ${other}`);
  const situation = openSituation(snapshot, nowMs);
  if (wrapper.metadata.deletionTimestamp !== undefined) return terminating(situation);
  return deciders[wrapper.status?.phase ?? ''](situation);
};
