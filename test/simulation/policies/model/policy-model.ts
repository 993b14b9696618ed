/** The rules of a suspend policy for one run. */
import { suspendSchedule } from '#functions/suspend-schedule/function.ts';
import type { SuspendSnapshot } from '#functions/suspend-schedule/snapshot.ts';
import type { JudgedKind, KindModel, Pass, PassVerdict } from '../../model/kind-model.ts';
import { decisionFaults } from './decision-faults.ts';

/** Without memory: a policy decides only by its current view (suspend-1). */
const policyModel: KindModel<SuspendSnapshot> = {
  onChange: () => [],
  onLostEvent: () => false,
  verdictOn: ({ snapshot, nowMs, decision }: Pass<SuspendSnapshot>): PassVerdict => ({
    faults: decisionFaults(snapshot, nowMs, decision),
    freedoms: [],
  }),
  restFaults: () => [],
};

export const judgedPolicies: JudgedKind<SuspendSnapshot> = {
  fn: suspendSchedule,
  plays: ({ nights }) => nights !== undefined,
  reportsOn: ['Job', 'JobFlow', 'DaemonJob'],
  about: ({ policy }) => policy.metadata,
  newModel: () => policyModel,
};
