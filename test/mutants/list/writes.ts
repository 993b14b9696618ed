/** Bugs in what is written to the cluster, and on whose word. */
import type { Mutant } from '../mutant.ts';

const applyPlan = 'shared/kube/apply-plan.ts';
const plans = ['shared/kube/apply-plan.test.ts', 'shared/kube/apply-create.test.ts'];
const runs = [
  'shared/runtime/function/process-item.test.ts',
  'shared/runtime/function/process-item-views.test.ts',
];

export const writeMutants: readonly Mutant[] = [
  {
    name: 'finishes a stage although it was called off',
    file: applyPlan,
    find: 'context.signal?.throwIfAborted();',
    replacement: '',
    tests: [...plans, ...runs],
  },
  {
    name: 'creates on the word of an answer that has grown old',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'if (nowMs - servedAtMs <= currentForMs) return true;',
    replacement: 'if (servedAtMs <= nowMs && servedAtMs > -Infinity) return true;',
    tests: runs,
  },
  {
    name: 'creates on the word of an answer that was long on its way',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'return clock.monotonicMs() - nowMs <= currentForMs || look();',
    replacement: 'return true;',
    tests: runs,
  },
  {
    name: 'takes the word of a view for it that there are no more Jobs',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'return absent !== undefined && reader !== freshReader && !noted.isCurrent(absent);',
    replacement: "return absent !== undefined && noted.version === '';",
    tests: runs,
  },
  {
    name: 'forgets of a long flow what was skipped before',
    file: 'functions/flow-advance/takes-for-absent.ts',
    find: 'const before = isLong(spec.flows) ? status?.jobStatusList : undefined;',
    replacement:
      'const before = isLong(spec.flows) && status === undefined ? told.jobStatusList : undefined;',
    tests: ['functions/flow-advance/takes-for-absent.test.ts'],
  },
  {
    name: 'creates under a service account on the rights that were there at admission',
    file: 'shared/runtime/function/submitter-permissions.ts',
    find: "uses.filter(({ action }) => action === 'deny')",
    replacement: "uses.filter(({ action }) => action === 'warn')",
    tests: ['shared/runtime/function/submitter-permissions.test.ts'],
  },
  {
    name: 'tries for ever to write an object that is too large to be stored',
    file: 'shared/kube/api-error.ts',
    find: 'return httpStatus === 500 && (isOfEtcd',
    replacement: 'return httpStatus === 501 && (isOfEtcd',
    tests: ['shared/kube/http-client.test.ts'],
  },
  {
    name: 'gives up a status without a word',
    file: applyPlan,
    find: "const isTerminal = error instanceof MillraceError && error.class === 'terminal';",
    replacement: "const isTerminal = error instanceof MillraceError && error.class === 'conflict';",
    tests: plans,
  },
  {
    name: 'tells of a status that is refused although it was called off meanwhile',
    file: applyPlan,
    find: 'if (isTerminal && context.signal?.aborted !== true) {',
    replacement: 'if (isTerminal) {',
    tests: plans,
  },
  {
    name: 'parks a plan for a terminal fault although a conflict beside it may cure both',
    file: applyPlan,
    find: "if (conflict === undefined) return { kind: 'failed', error: errors[0] };",
    replacement:
      "if (errorClassOf(errors[0]) !== 'conflict') return { kind: 'failed', error: errors[0] };",
    tests: plans,
  },
  {
    name: 'adopts a Job of the right name whoever owns it',
    file: applyPlan,
    find: 'if (isControlledBy(existing.metadata, ownerUid)) {',
    replacement: "if (existing.metadata.uid !== '' || ownerUid === '') {",
    tests: plans,
  },
  {
    name: 'takes AlreadyExists for success without looking whose it is',
    file: applyPlan,
    find: 'if (isTaken(error)) return adopt(operation, context, error);',
    replacement:
      "if (isTaken(error)) return written(resource, { done: 'adopt', namespace: '', name: '' });",
    tests: plans,
  },
  {
    name: 'takes its own create, whose reply was lost, for a foreign one',
    file: applyPlan,
    find: 'if (isControlledBy(existing.metadata, ownerUid)) {',
    replacement: 'if (isControlledBy(existing.metadata, ownerUid) && !isTaken(taken)) {',
    tests: plans,
  },
  {
    name: 'waits without a word for a name that a Job under deletion holds',
    file: applyPlan,
    find: 'if (existing === undefined) throw taken;',
    replacement:
      'if (existing?.metadata.deletionTimestamp !== undefined || existing === undefined) throw taken;',
    tests: plans,
  },
  {
    name: 'writes a status over a newer one: no resourceVersion',
    file: applyPlan,
    find: '{ metadata: { uid, resourceVersion }, status },',
    replacement: '{ metadata: { uid }, status },',
    tests: plans,
  },
  {
    name: 'deletes by name: no uid',
    file: applyPlan,
    find: '{ uid, propagation, ...version }',
    replacement: '{ propagation, ...version }',
    tests: plans,
  },
  {
    name: 'patches by name: no uid',
    file: applyPlan,
    find: "const metadata = { ...(patch['metadata'] as object | undefined), uid, ...version };",
    replacement: "const metadata = { ...(patch['metadata'] as object | undefined), ...version };",
    tests: plans,
  },
  {
    name: 'writes the status before the Jobs that it tells of',
    file: 'functions/flow-advance/decide/conclude.ts',
    find: `          draft.operations,
          eventsFor(situation, transitions),
          [patchStatus(situation, write.patch)],`,
    replacement: `          [patchStatus(situation, write.patch)],
          draft.operations,
          eventsFor(situation, transitions),`,
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'creates on the word of a view that is behind',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'if (cannotBeUndone(decision.plan) && !(await isUpToDate(run, reader, noted, decision.plan))) {',
    replacement: "if (cannotBeUndone(decision.plan) && noted.version === '') {",
    tests: runs,
  },
  {
    name: 'goes on writing after it was called off',
    file: 'shared/runtime/function/decision-round.ts',
    find: "if (run.signal.aborted) return { kind: 'aborted' };",
    replacement: '',
    tests: runs,
  },
  {
    name: 'tells of an Event twice: named by its time',
    file: 'shared/domain/announcements.ts',
    find: `function since({ before }: Change, type: string): string {
  const known = before.conditions`,
    replacement: `function since({ after }: Change, type: string): string {
  const known = after.conditions`,
    tests: ['functions/flow-advance/decide/events.test.ts'],
  },
  {
    name: 'asks the API server before writes that their version fences',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'if (cannotBeUndone(decision.plan) && !',
    replacement: 'if (!',
    tests: ['shared/runtime/function/process-item.test.ts'],
  },
  {
    name: 'takes a view for current that nothing of its own was seen in',
    file: 'shared/runtime/function/view-check.ts',
    find: 'nowMs - reader.currentAsOfMs(resource) <= currentForMs',
    replacement: 'nowMs + reader.currentAsOfMs(resource) <= currentForMs',
    tests: ['shared/runtime/function/view-check.test.ts'],
  },
  {
    name: 'takes a patch that changed nothing for one that was just committed',
    file: 'shared/kube/write-through.ts',
    find: "return typeof known === 'string' && known !== version;",
    replacement: "return typeof known === 'string' && version !== '';",
    tests: ['shared/kube/write-through.test.ts'],
  },
  {
    name: 'forgets which Jobs are gone',
    file: 'shared/kube/object-view.ts',
    find: 'if (dropped !== undefined && owner !== undefined) {',
    replacement: 'if (dropped !== undefined && owner === key) {',
    tests: ['shared/kube/object-view.test.ts'],
  },
];
