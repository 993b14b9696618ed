/** Bugs in telling why a step waits or how it failed. */
import type { Mutant } from '../mutant.ts';

const decide = 'functions/flow-advance/decide';
const holdUpTests = [`${decide}/hold-up.test.ts`];
const podsTests = ['functions/flow-advance/observe/pods.test.ts'];
const publishTests = [
  'functions/bridge/publish.test.ts',
  'functions/flow-advance/subscription/fingerprint.test.ts',
];

export const waitingMutants: readonly Mutant[] = [
  {
    name: 'goes on telling of a problem that has passed',
    file: `${decide}/steps.ts`,
    find: 'const { reason, message } = state;\n  if (reason === undefined)',
    replacement: `const { reason = record.reason, message = record.message } = state;
  if (reason === undefined)`,
    tests: holdUpTests,
  },
  {
    name: 'writes a problem anew when the cluster tells it in other words',
    file: 'shared/domain/hold-up.ts',
    find: 'return essenceOf({ reason, message }) === essenceOf(holdUp);',
    replacement: 'return message === holdUp.message;',
    tests: holdUpTests,
  },
  {
    name: 'emits an Event about a problem for each of its messages',
    file: `${decide}/events.ts`,
    find: 'occurrence: `${first.name}-${attemptOf(first)}`,',
    replacement: "occurrence: `${first.name}-${attemptOf(first)}-${first.message ?? ''}`,",
    tests: [...holdUpTests, `${decide}/events.test.ts`],
  },
  {
    name: 'tells of a Pod that the scheduler has only failed to place once',
    file: 'shared/domain/hold-up.ts',
    find: "return reason === 'Unschedulable' ? schedulingGraceMs : 0;",
    replacement: "return reason === '' ? schedulingGraceMs : 0;",
    tests: holdUpTests,
  },
  {
    name: 'does not look again at a problem that may still pass',
    file: 'shared/domain/hold-up.ts',
    find: 'return dueMs !== undefined && dueMs > place.nowMs ? dueMs : againMs;',
    replacement: 'return dueMs !== undefined && dueMs < place.nowMs ? dueMs : againMs;',
    tests: holdUpTests,
  },
  {
    name: 'reads the Events of a Job without a Pod at every look',
    file: 'shared/domain/missing-pod.ts',
    find: 'return sinceMs - lastReadMs(sinceMs) <= latenessMs;',
    replacement: 'return sinceMs - lastReadMs(sinceMs) >= 0;',
    tests: ['shared/domain/missing-pod.test.ts'],
  },
  {
    name: 'tells of a refusal of a Pod from before the Job was resumed',
    file: 'shared/domain/missing-pod.ts',
    find: 'seenMs >= startMs && reasons',
    replacement: 'seenMs >= 0 && reasons',
    tests: ['shared/domain/missing-pod.test.ts'],
  },
  {
    name: 'takes the Events of a Job that were not read for none',
    file: 'shared/domain/hold-up.ts',
    find: 'if (events === undefined && message !== undefined',
    replacement: 'if (events === null && message !== undefined',
    tests: holdUpTests,
  },
  {
    name: 'wakes a flow for every change of its Pods',
    file: 'functions/bridge/published.ts',
    find: 'watched.watchers.filter((_, index) => is[index] !== known?.[index]),',
    replacement: 'watched.watchers,',
    tests: publishTests,
  },
  {
    name: 'wakes a flow whenever the scheduler counts its nodes',
    file: 'shared/subscription/fingerprint.ts',
    find: ': [trouble.reason, essenceOf(trouble)];',
    replacement: ': [trouble.reason, trouble.message];',
    tests: publishTests,
  },
  {
    name: 'takes the Pod of another Job of the same name for one of the flow',
    file: 'shared/subscription/controller-of-controller.ts',
    find: 'object?.metadata.uid === uid ?',
    replacement: 'object !== undefined ?',
    tests: publishTests,
  },
  {
    name: 'reads Pods in the ordinary life of a step',
    file: 'functions/flow-advance/observe/pods.ts',
    find: 'return ready < active || active === 0;',
    replacement: 'return ready <= active;',
    tests: podsTests,
  },
  {
    name: 'stands still when it may not read Pods',
    file: 'shared/kube/doubtful-pods.ts',
    find: "if (hasCode(error, 'MR_API_FORBIDDEN')) return undefined;",
    replacement: "if (hasCode(error, 'MR_API_GONE')) return undefined;",
    tests: podsTests,
  },
  {
    name: 'tells of the first failure of a Job instead of its last',
    file: 'shared/domain/observed-pods.ts',
    find: 'earlier(left.at, right.at, left, right)).at(-1);',
    replacement: 'earlier(left.at, right.at, left, right))[0];',
    tests: podsTests,
  },
  {
    name: 'holds back what the API server said of a create',
    file: `${decide}/coalesce.ts`,
    find: 'return after.reason === unknownField && before.reason !== unknownField;',
    replacement: "return after.reason === '' && before.reason !== unknownField;",
    tests: [`${decide}/lost-fields.test.ts`],
  },
  {
    name: 'does not tell the function what the API server lost of an object',
    file: 'shared/runtime/function/process-item.ts',
    find: 'if (round.said.warnings.length === 0) return',
    replacement: 'if (round.said.warnings.length >= 0) return',
    tests: ['shared/runtime/function/process-item.test.ts'],
  },
  {
    name: 'takes the advice of a cluster for a loss',
    file: 'shared/kube/apply-plan.ts',
    find: 'if (tellsOfLoss(message)) warnings.push',
    replacement: "if (message !== '') warnings.push",
    tests: ['shared/kube/apply-plan.test.ts', 'shared/kube/apply-create.test.ts'],
  },
  {
    name: 'does not look again when a retry is due',
    file: 'functions/flow-advance/decide.ts',
    find: '...retryTimes(situation, steps),',
    replacement: '...retryTimes(situation, steps).slice(1),',
    tests: [`${decide}/retry.test.ts`],
  },
  {
    name: 'does not look again when a finished flow is to be removed',
    file: 'functions/flow-advance/decide.ts',
    find: 'dueMs: [dueMs],',
    replacement: 'dueMs: [dueMs === undefined ? dueMs : undefined],',
    tests: [`${decide}/ttl.test.ts`],
  },
  {
    name: 'never tells what it held back',
    file: `${decide}/conclude.ts`,
    find: '[...draft.dueMs, write.dueMs, followUp]',
    replacement: '[...draft.dueMs, followUp]',
    tests: [`${decide}/coalesce.test.ts`],
  },
  {
    name: 'takes one decision under way for load',
    file: 'shared/runtime/function/process-item.ts',
    find: 'underWay >= manyUnderWay ?',
    replacement: 'underWay >= 1 ?',
    tests: ['shared/runtime/function/process-item.test.ts'],
  },
  {
    name: 'counts what has ended as under way',
    file: 'shared/runtime/function/process-item.ts',
    find: '      underWay -= 1;',
    replacement: '      underWay -= 0;',
    tests: ['shared/runtime/function/process-item.test.ts'],
  },
  {
    name: 'tells of the course of a flow as often under load as otherwise',
    file: 'shared/domain/pace.ts',
    find: 'isUnderLoad ? busyProgressMs : progressMs;',
    replacement: 'isUnderLoad ? progressMs : progressMs;',
    tests: [`${decide}/coalesce.test.ts`],
  },
];
