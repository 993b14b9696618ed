/**
 * For each scenario of test/simulation/regressions.json the bug that it was kept for: the mend taken
 * out again. One for each mechanism that only an interleaving shows.
 */
import type { Mutation } from '../mutant.ts';

export interface KeptScenarioMutant extends Omit<Mutation, 'name'> {
  /** Of the scenario. */
  readonly rule: string;
  /** The beginning of one of the violations that the scenario has with the bug in. */
  readonly breaks: string;
}

const decisionRound = 'shared/runtime/function/decision-round.ts';

/** Undoes: before what cannot be undone the API server is asked. */
const believesViews = {
  file: decisionRound,
  find: 'if (cannotBeUndone(decision.plan) && !(await isUpToDate(run, reader, noted, decision))) {',
  replacement: "if (cannotBeUndone(decision.plan) && noted.version === '') {",
};

/** Undoes: a child is resumed as it was seen, or not at all. */
export const resumesBlindly = {
  file: 'shared/parents/child-suspension.ts',
  find: '...(resourceVersion === undefined ? {} : { resourceVersion }),',
  replacement: '...(resourceVersion === undefined ? { resourceVersion } : {}),',
};

export const keptScenarioMutants: readonly KeptScenarioMutant[] = [
  {
    rule: 'starts no step of a flow that was suspended meanwhile, although its view is behind',
    breaks: 'I4: created while the flow was suspended',
    ...believesViews,
  },
  {
    rule: 'tells the start of a flow by its first Job, also where its creator could not record it',
    breaks: 'model, status: startTime',
    file: 'shared/parents/start-and-end.ts',
    find: 'return isEarlier ? first : known;',
    replacement: 'return isEarlier ? known : known;',
  },
  {
    rule: 'leaves a Job suspended that a person suspended after our mark had been taken away',
    breaks: 'rule 15: resumed',
    ...resumesBlindly,
  },
  {
    rule: 'ends no flow without a step whose Job a view lacks',
    breaks: 'I5: ended without',
    file: decisionRound,
    find: 'return absent !== undefined && reader !== freshReader && !noted.isCurrent(absent);',
    replacement: "return absent !== undefined && noted.version === '';",
  },
  {
    rule: 'warns again of another closed time although the warning of the one before came too late',
    breaks: 'model, policy',
    file: 'functions/suspend-schedule/decide/actions.ts',
    find: 'if (object.held === held) return undefined;',
    replacement: "if (object.held?.includes('suspends') === true) return undefined;",
  },
  {
    rule: 'learns from a list that a Job which it had created itself came and went before',
    breaks: 'promptness-1',
    file: 'shared/kube/reflector.ts',
    find: 'this.#ledger.takeList(projected, dropped)',
    replacement: 'this.#ledger.takeList(projected, dropped === undefined ? dropped : [])',
  },
  {
    rule: 'creates no Job again that the process itself has created, while the views are away',
    breaks: 'I1',
    file: 'shared/runtime/function/decision-round.ts',
    find: '  run.created.add(item.key.uid, outcome.writes);',
    replacement: '',
  },
  {
    rule: 'runs no more Jobs at once than it may after a create that was done and not answered',
    breaks: 'daemonjob-3',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'run.created.fail(item.key.uid);',
    replacement: '',
  },
  {
    rule: 'tells of no end that is after the start of what waited for it and was not in sight',
    breaks: 'model, ',
    file: 'functions/flow-advance/decide/steps.ts',
    find: 'startedDependants(situation, name).flatMap(',
    replacement:
      "startedDependants(situation, name).filter(({ record }) => situation.flow.spec.flows.find((each) => each.name === record?.name)?.startOn !== 'SuccessCriteriaMet').flatMap(",
  },
  {
    rule: 'gives back the quota of steps that have succeeded, and of no other',
    breaks: 'queued-3',
    file: 'shared/api/work/queueing/job-flow.ts',
    find: "stepsIn(flow, ({ state }) => state === 'Succeed');",
    replacement: "stepsIn(flow, ({ state }) => state === 'Succeed' || state === 'Running');",
  },
  {
    rule: 'gives quota back only when the Pods are gone too',
    breaks: 'wrapper-4',
    file: 'functions/appwrapper-lifecycle/decide/removal.ts',
    find: 'if (left.length === 0 && snapshot.pods.length === 0) {',
    replacement: 'if (left.length === 0) {',
  },
  {
    rule: 'is gone only when everything that it wraps is',
    breaks: 'wrapper-4',
    file: 'functions/appwrapper-lifecycle/decide/phases/terminating.ts',
    find: "if (!holds(situation, 'ResourcesDeployed')) {",
    replacement: "if (situation.status.phase === 'Terminating') {",
  },
  {
    rule: 'creates nothing again before the last try is removed',
    breaks: 'wrapper-6',
    file: 'functions/appwrapper-lifecycle/decide/phases/resetting.ts',
    find: "if (holds(situation, 'ResourcesDeployed')) {",
    replacement: "if (holds(situation, 'ResourcesDeployed') && nowMs < dueMs) {",
  },
];
