/** The kinds whose decisions are judged; add a model here. */
import { judgedDaemonJobs } from '../daemons/model/daemon-model.ts';
import { judgedPolicies } from '../policies/model/policy-model.ts';
import { judgedQueues } from '../queues/judged-queues.ts';
import { judgedWrappers } from '../wrappers/judged-wrappers.ts';
import { judgedFlows } from './flow-model.ts';
import type { JudgedKind } from './kind-model.ts';

export const judgedKinds: readonly JudgedKind[] = [
  judgedFlows,
  judgedDaemonJobs,
  judgedPolicies,
  judgedQueues,
  judgedWrappers,
];
