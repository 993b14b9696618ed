/** What the rules of a suspend policy say about one run. */
import { suspendSchedule } from '#functions/suspend-schedule/function.ts';
import type { SuspendSnapshot } from '#functions/suspend-schedule/snapshot.ts';
import type { JudgedKind, KindModel, Pass, PassVerdict } from '../../model/kind-model.ts';
import { decisionFaults } from './decision-faults.ts';

/** It remembers nothing: a policy decides by what it sees now (S1 of suspend-schedule/decide.ts). */
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
  tellsOn: ['Job', 'JobFlow', 'DaemonJob'],
  about: ({ policy }) => policy.metadata,
  newModel: () => policyModel,
};
