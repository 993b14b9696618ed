/**
 * For each scenario of test/simulation/regressions.json the bug that it was kept for: the mend taken
 * out again. One for each mechanism that only an interleaving shows.
 */
import type { Mutation } from '../mutant.ts';

export interface KeptScenarioMutant extends Omit<Mutation, 'name'> {
  /** Of the scenario. */
  readonly rule: string;
  /** How one of the violations begins that the scenario has with the bug in. */
  readonly breaks: string;
}

const decisionRound = 'shared/runtime/function/decision-round.ts';
const objectView = 'shared/kube/object-view.ts';
const clusterClock = 'shared/kube/cluster-clock.ts';
const fanout = 'functions/daemon-fanout/decide.ts';

/** Undoes: before what cannot be undone the API server is asked. */
const believesViews = {
  file: decisionRound,
  find: 'if (cannotBeUndone(decision.plan) && !(await isUpToDate(run, reader, noted, decision))) {',
  replacement: "if (cannotBeUndone(decision.plan) && noted.version === '') {",
};

const believesItsMachine = {
  file: clusterClock,
  find: 'return nowMs - this.#aheadMs(nowMs);',
  replacement: 'return nowMs - 0 * this.#aheadMs(nowMs);',
};

/** Undoes: a step that was begun proves that those succeeded which it waited for. */
export const forgetsProof = {
  file: 'functions/flow-advance/observe/needs.ts',
  find: 'const proven = ancestors({ dependencies }, begun, isOnRecord);',
  replacement: 'const proven = ancestors({ dependencies }, begun.slice(begun.length), isOnRecord);',
};

/** Undoes: a child is resumed as it was seen, or not at all. */
export const resumesBlindly = {
  file: 'shared/parents/child-suspension.ts',
  find: '...(resourceVersion === undefined ? {} : { resourceVersion }),',
  replacement: '...(resourceVersion === undefined ? { resourceVersion } : {}),',
};

/** Undoes: a flow that was too late stays so. */
export const givesAnotherChance = {
  file: 'functions/flow-advance/decide/situation.ts',
  find: 'return hasStarted(situation) || isJudged || status.reason === tooLateToStart;',
  replacement: 'return hasStarted(situation) || isJudged;',
};

/** Undoes: a later attempt says more of an earlier one than what waited for the step. */
export const believesDependants = {
  file: 'functions/flow-advance/decide/steps.ts',
  find: 'situation.awaited().has(spec.name) && !hasLaterAttempt(situation, spec, record)',
  replacement: 'situation.awaited().has(spec.name)',
};

export const keptScenarioMutants: readonly KeptScenarioMutant[] = [
  {
    rule: 'starts no step of a flow that was suspended meanwhile, although its view is behind',
    breaks: 'I4: created while the flow was suspended',
    ...believesViews,
  },
  {
    rule: 'decides on no flow that its own delete removed, although a late watch tells of its past',
    breaks: 'read-your-writes',
    file: objectView,
    find: 'if (!this.#forgotten.has(object.metadata.uid)) this.#tell(key, object);',
    replacement: 'this.#tell(key, object);',
  },
  {
    rule: 'lets go of an item that the queue does not take once more',
    breaks: 'I5',
    file: 'functions/dispatcher/worker-loop.ts',
    find: 'await lease.later(0, { failed: false });',
    replacement: '',
  },
  {
    rule: 'deletes no Job of a cancelled step before its attempt is on record',
    breaks: 'model, writes: not expected to delete',
    file: 'functions/flow-advance/decide/failure.ts',
    find: '({ name, job }) => recorded.get(name)?.jobName === job.name);',
    replacement: "({ name }) => recorded.get(name)?.jobName !== '');",
  },
  {
    rule: 'gives no Job its TTL on the word of a view that is behind',
    breaks: 'law 3',
    file: 'shared/runtime/function/view-check.ts',
    find: 'return operation.isFinal === true;',
    replacement: 'return operation.isFinal === undefined && false;',
  },
  {
    rule: 'runs nothing of a retry by hand before it is on record',
    breaks: 'model, writes: not expected to create',
    file: 'functions/flow-advance/decide/start.ts',
    find: 'rejections.length > 0 || resetSteps.length > 0',
    replacement: 'rejections.length > 0',
  },
  {
    rule: 'decides on no flow that its own delete removed, although a late list is from before its creation',
    breaks: 'read-your-writes',
    file: objectView,
    find: 'if (!listed.has(uid) && !isNewer(version, listedAt)) this.#forgotten.delete(uid);',
    replacement: "if (!listed.has(uid) && version !== '') this.#forgotten.delete(uid);",
  },
  {
    rule: "retries, expires and gives up by the API server's time where the machine's is an hour ahead",
    breaks: 'I18',
    ...believesItsMachine,
  },
  {
    rule: "removes no flow before its time when the machine's clock is set forward meanwhile",
    breaks: 'I18',
    file: clusterClock,
    find: 'const offsetMs = nowMs - monotonicMs;',
    replacement: 'const offsetMs = nowMs - monotonicMs;\n    if (offsetMs > latestMs) return 0;',
  },
  {
    rule: 'tells the start of a flow by its first Job, whoever created it and could not tell',
    breaks: 'model, status: startTime',
    file: 'shared/parents/start-and-end.ts',
    find: 'return isEarlier ? first : known;',
    replacement: 'return isEarlier ? known : known;',
  },
  {
    rule: 'looks for the template of a step that only another one proves to be startable',
    breaks: 'model, reads: JobTemplate',
    ...forgetsProof,
  },
  {
    rule: 'leaves a Job suspended that a person suspended after our mark had been taken away',
    breaks: 'rule 15: resumed',
    ...resumesBlindly,
  },
  {
    rule: 'keeps a flow too late whose clock was set back and whose spec was edited',
    breaks: 'model',
    ...givesAnotherChance,
  },
  {
    rule: 'tells of the attempt that is there, not of the lost one that a dependant seems to prove',
    breaks: 'model',
    ...believesDependants,
  },
  {
    rule: 'deletes no Job of a machine that is gone before it is on record that it ran there',
    breaks: 'model, ',
    file: fanout,
    find: '!isOnRecord(situation, job, excluded.includes(job))',
    replacement: "job.name === '' && !isOnRecord(situation, job, excluded.includes(job))",
  },
  {
    rule: 'ends no DaemonJob by a view of nodes that is behind',
    breaks: 'DJ5',
    file: 'shared/kube/view-reader.ts',
    find: "const view = asOf === 'now' ? undefined : complete(resource);",
    replacement: 'const view = complete(resource);',
  },
  {
    rule: 'runs no more Jobs at once than it may where a machine has just taken the name of another',
    breaks: 'DJ3',
    file: 'functions/daemon-fanout/observe.ts',
    find: '!== true || isBehindRecord(daemonJob, nodes, jobs);',
    replacement: '!== true || (jobs.length < 0 && isBehindRecord(daemonJob, nodes, jobs));',
  },
  {
    rule: 'asks for the nodes before an endless DaemonJob takes its failure back',
    breaks: 'model, sight',
    file: 'functions/daemon-fanout/observe/may-end.ts',
    find: 'if (goesOn && !isToldOtherwise(daemonJob, cluster)) return false;',
    replacement: 'if (goesOn) return false;',
  },
  {
    rule: 'leaves out no Job that it has found by name before it asked for the nodes',
    breaks: 'model, sight',
    file: 'functions/daemon-fanout/observe.ts',
    find: '? await onNodes({ ...known, jobs: seen.jobs },',
    replacement: '? await onNodes(known,',
  },
  {
    rule: 'counts no wait from before the creation, also by a clock that is behind',
    breaks: 'model, policy',
    file: 'functions/suspend-schedule/decide/order.ts',
    find: 'Math.max(parseTime(noteOf(object).since) ?? createdMs, createdMs);',
    replacement: 'parseTime(noteOf(object).since) ?? createdMs;',
  },
  {
    rule: 'takes no Job for there whose name another one has by now',
    breaks: 'model, ',
    file: 'functions/daemon-fanout/observe.ts',
    find: 'const others = jobs.filter(({ name }) => !taken.has(name));',
    replacement:
      'const others = jobs.filter(({ uid }) => taken.size === 0 || !running.some((job) => job.uid === uid));',
  },
  {
    rule: 'decides about a flow whose predecessor of the same name came and went at once',
    breaks: 'PR1',
    file: 'functions/bridge/stored-views.ts',
    find: 'parts.findLast(({ key }) => isOf(root, key))',
    replacement: "parts.findLast(({ content }) => content === '')",
  },
  {
    rule: 'ends no flow without a step whose Job a view lacks',
    breaks: 'I5: ended without',
    file: decisionRound,
    find: 'return absent !== undefined && reader !== freshReader && !noted.isCurrent(absent);',
    replacement: "return absent !== undefined && noted.version === '';",
  },
  {
    rule: 'resumes what a policy held a moment before it went, although no view shows it yet',
    breaks: 'I6: left over',
    file: 'functions/suspend-schedule/observe.ts',
    find: "const found = isLetGo(policy, seen) ? await everything(policy, reader, 'now') : seen;",
    replacement: 'const found = isLetGo(policy, seen) ? seen : seen;',
  },
  {
    rule: 'runs no more Jobs at once than it may while a queue gives one item to two',
    breaks: 'DJ3',
    file: 'shared/runtime/function/process-item.ts',
    find: 'turns.take(keyText(item.key), ',
    replacement: 'turns.take(`${Math.random()}`, ',
  },
  {
    rule: 'warns again of another closed time although the warning of the one before came too late',
    breaks: 'model, policy',
    file: 'functions/suspend-schedule/decide/actions.ts',
    find: 'if (object.held === held) return undefined;',
    replacement: "if (object.held?.includes('suspends') === true) return undefined;",
  },
  {
    rule: 'keeps no view of an object whole before its Jobs have been listed',
    breaks: 'PR1',
    file: 'functions/bridge/stored-views.ts',
    find: 'views.followed(resource).synced ||',
    replacement: 'views.followed(resource).size >= 0 ||',
  },
  {
    rule: 'learns from a list that a Job which it had created itself came and went before',
    breaks: 'PR1',
    file: 'shared/kube/reflector.ts',
    find: 'this.#ledger.takeList(projected, dropped)',
    replacement: 'this.#ledger.takeList(projected, dropped === undefined ? dropped : [])',
  },
  {
    rule: 'counts a Job that is on record on a machine which its nodes do not show',
    breaks: 'DJ3',
    file: 'functions/daemon-fanout/observe/may-start.ts',
    find: 'return node === undefined || present.has(',
    replacement: 'return node !== undefined && present.has(',
  },
  {
    rule: 'takes the mark of a policy that goes off what somebody has resumed',
    breaks: 'model, policy',
    file: 'functions/suspend-schedule/decide.ts',
    find: 'const letGo = marked.filter((object) => !isHeldAsMarked(object));',
    replacement:
      'const letGo = marked.filter((object) => !isHeldAsMarked(object) && isRestoring !== isRestoring);',
  },
  {
    rule: "calls a retry not deleted whose name another machine's Job had to give up first",
    breaks: 'model, ',
    file: 'functions/daemon-fanout/observe/needs.ts',
    find: 'const isUnsaid = gone.has(trace) && !isLedgerEnd(entry?.state);',
    replacement: 'const isUnsaid = [...gone].some((each) => nameOfTrace(each) === jobName);',
  },
  {
    rule: 'gives no room away twice on the word of a view that is behind',
    breaks: 'model, policy: ',
    file: 'functions/suspend-schedule/observe.ts',
    find: 'isStarting(governed) ? { ...each, isStarting: true } : each',
    replacement: 'each',
  },
  {
    rule: 'asks which machine has a name before the Job of another one goes',
    breaks: 'DJ1',
    file: 'functions/daemon-fanout/observe.ts',
    find: 'if (doubtful.length === 0) return seen;',
    replacement: 'if (doubtful.length >= 0) return seen;',
  },
  {
    rule: 'records what ran on a machine that is gone although a create is refused each time',
    breaks: 'model, ',
    file: 'functions/daemon-fanout/decide/start.ts',
    find: 'if (hold !== undefined) return',
    replacement: 'if (hold !== undefined || situation.snapshot.rejections.length > 0) return',
  },
  {
    rule: 'asks no policy that had its own name before it',
    breaks: 'model, policy',
    file: 'functions/suspend-schedule/observe.ts',
    find: '.filter((other) => keyOf(other) !== own)',
    replacement: '.filter((other) => other.metadata.uid !== policy.metadata.uid)',
  },
  {
    rule: 'has on record who gets room before he has it',
    breaks: 'model, policy: resumes',
    file: 'functions/suspend-schedule/decide/last-resumed.ts',
    find: 'if (policy.spec.capacity === undefined) return',
    replacement: 'if (policy.spec.capacity !== null) return',
  },
  {
    rule: 'runs nothing of a retry of a DaemonJob before it is on record',
    breaks: 'model, writes: not expected to create',
    file: 'functions/daemon-fanout/decide/start.ts',
    find: 'const most = isRefused || isUntold ? 0 :',
    replacement: 'const most = isRefused ? 0 :',
  },
  {
    rule: 'creates no Job again of a flow that nobody has told of yet',
    breaks: 'I1',
    file: 'functions/flow-advance/observe/needs.ts',
    find: 'return remembers || spec.suspend === true',
    replacement: 'return spec.suspend === true',
  },
  {
    rule: 'creates no Job again that went before a look past the views',
    breaks: 'I1',
    file: 'shared/views/stored-view-reader.ts',
    find: 'return { traces: [...noted, ...this.#tracesInSight(resource, owner, seen)], isWhole: true };',
    replacement: 'return { names: [], isWhole: true };',
  },
  {
    rule: 'creates no Job again that was noted before the views went',
    breaks: 'I1',
    file: 'shared/views/stored-view-reader.ts',
    find: 'noted: root?.noted ?? (await this.#mirror.notes(uid))',
    replacement: 'noted: root?.noted',
  },
  {
    rule: 'creates no Job again that the process itself has created, while the views are away',
    breaks: 'I1',
    file: 'shared/runtime/function/decision-round.ts',
    find: '  run.created.add(item.key.uid, outcome.writes);',
    replacement: '',
  },
  {
    rule: 'removes no Job of a machine that seems older than the Job only since a clock was set back',
    breaks: 'DJ1',
    file: 'functions/daemon-fanout/observe/nodes.ts',
    find: 'if (job.deletionTimestamp !== undefined) return [];',
    replacement: 'if (`${node.creationTimestamp}` >= `${job.creationTimestamp}`) return [];',
  },
  {
    rule: 'starts nothing from a template as it was before somebody submitted the flow',
    breaks: 'model, sight: JobTemplate',
    file: 'functions/flow-advance/observe.ts',
    find: "const asOf = unproven.length > 0 || readsTemplatesNow(flow) ? 'now' : undefined;",
    replacement: 'const asOf = undefined;',
  },
  {
    rule: 'runs no more Jobs at once than it may after a create that was done and not answered',
    breaks: 'DJ3',
    file: 'shared/runtime/function/decision-round.ts',
    find: 'run.created.fail(item.key.uid);',
    replacement: '',
  },
  {
    rule: 'finds by a sweep the machine that came after a failure, to a DaemonJob that goes on for ever',
    breaks: 'I5',
    file: 'functions/daemon-fanout/subscription/unfinished.ts',
    find: "if (status?.state === 'Succeed') return true;",
    replacement: "return status?.state === 'Succeed';",
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
    rule: 'starts no Job on a node that is free again while the one before is still going, at no look',
    breaks: 'model, status',
    file: 'functions/daemon-fanout/decide/nodes.ts',
    find: 'runOf(earlier).attempt < attempt',
    replacement: 'runOf(earlier).attempt < attempt - 9',
  },
  {
    rule: 'takes off the TTL that somebody else gave a Job until its result is on record',
    breaks: 'model, writes: expected to take off',
    file: 'shared/parents/child-ttl.ts',
    find: 'return isRecorded(job) ? [] : [withoutTtl(namespace, job, ttl)];',
    replacement: 'return isRecorded(job) ? [] : [withoutTtl(namespace, job, ttl)].slice(1);',
  },
  {
    rule: 'puts the Job of an excluded node on record before it is deleted',
    breaks: 'model, writes: not expected to delete',
    file: fanout,
    find: 'new Set([...leaving, ...inTheWay, ...excluded.filter(isDeletable)])',
    replacement: 'new Set([...leaving, ...inTheWay])',
  },
  {
    rule: 'leaves what runs to end when a flow is stopped',
    breaks: 'model, writes: not expected to delete',
    file: 'functions/flow-advance/decide/early-end.ts',
    find: "return removes === 'all' || job.suspend;",
    replacement: 'return true;',
  },
  {
    rule: 'wakes a flow at its deadline',
    breaks: 'model, look again',
    file: 'functions/flow-advance/decide.ts',
    find: 'deadlineDueMs(situation, status),',
    replacement: '',
  },
  {
    rule: 'leaves what runs to end when a DaemonJob is stopped',
    breaks: 'model, writes: not expected to delete',
    file: 'functions/daemon-fanout/decide/policies.ts',
    find: "mode === 'Stop' ? 'suspended' : 'all'",
    replacement: "'all'",
  },
  {
    rule: 'starts nothing by an admission that the job has given up',
    breaks: 'QU1',
    file: 'functions/kueue-workload-sync/decide/given-up.ts',
    find: 'return isKnownBy(workload.metadata.resourceVersion, asResourceVersion(version));',
    replacement: "return version === '';",
  },
  {
    rule: 'keeps the quota of an evicted job until nothing of it runs',
    breaks: 'QU1',
    file: 'functions/kueue-workload-sync/decide/evicted.ts',
    find: 'if (kind.isActive(job))',
    replacement: "if (kind.isActive(job) && job.metadata.name === '')",
  },
  {
    rule: 'gives back the quota of steps that have succeeded, and of no other',
    breaks: 'QU3',
    file: 'shared/api/work/queueing/job-flow.ts',
    find: "stepsIn(flow, ({ state }) => state === 'Succeed');",
    replacement: "stepsIn(flow, ({ state }) => state === 'Succeed' || state === 'Running');",
  },
];
