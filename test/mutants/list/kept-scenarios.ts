/**
 * For each scenario of test/simulation/regressions.json the bug that it was kept for: the mend taken
 * out again. Where the simulation's judgement had been wrong, that one is broken.
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
const ttl = 'functions/flow-advance/decide/ttl.ts';
const fanout = 'functions/daemon-fanout/decide.ts';
const witness = 'test/simulation/invariants/witness.ts';

/** Undoes: before what cannot be undone the API server is asked. */
const believesViews = {
  file: decisionRound,
  find: 'if (cannotBeUndone(decision.plan) && !(await isUpToDate(run, reader, noted, decision.plan))) {',
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
  file: 'shared/domain/suspension.ts',
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
    rule: 'creates no Job for a flow that is gone, although its view is behind',
    breaks: 'I6: created for a flow that is gone',
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
    rule: 'counts the TTL of a flow from the end of a retry, also of one whose start was not recorded',
    breaks: 'model, status: completionTime',
    file: 'functions/flow-advance/decide/status.ts',
    find: 'status.state === summary.state && resetSteps.length === 0;',
    replacement: 'status.state === summary.state && resetSteps.length >= 0;',
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
    rule: 'gives its TTL to a Job that a pass which was overtaken created',
    breaks: 'model, writes: expected to let expire',
    file: ttl,
    find: 'return isOver(record.state) && isOverForNow(situation);',
    replacement: 'return attempt < 0 && isOver(record.state) && isOverForNow(situation);',
  },
  {
    rule: "withholds the TTL of a retry's Job until a status tells of it",
    breaks: 'model, writes: not expected to let expire',
    file: ttl,
    find: "if (attempt === current && record.state === 'Failed') return true;",
    replacement: 'if (attempt === current && isOver(record.state)) return true;',
  },
  {
    rule: 'decides on no flow that its own delete removed, although a late list is from before its creation',
    breaks: 'read-your-writes',
    file: objectView,
    find: 'if (!listed.has(uid) && !isNewer(version, listedAt)) this.#forgotten.delete(uid);',
    replacement: "if (!listed.has(uid) && version !== '') this.#forgotten.delete(uid);",
  },
  {
    rule: 'starts a step whose dependency met its success criteria and was deleted before it completed',
    breaks: 'I3',
    file: 'test/simulation/invariants/created-job.ts',
    find: '(job.meetsCriteria && (early || job.goneAtMs !== undefined))',
    replacement: '(job.meetsCriteria && early)',
  },
  {
    rule: 'counts the TTL of a flow whose Job was deleted from the end that its status tells',
    breaks: 'I18',
    file: witness,
    find: 'const leastMs = Math.min(lastEndStampMs ?? -Infinity,',
    replacement: 'const leastMs = Math.max(lastEndStampMs ?? -Infinity,',
  },
  {
    rule: 'comes to rest also when a late view still has a Job whose label was taken away',
    breaks: 'I9: wrote at rest',
    file: witness,
    find: "if (resource.kind !== 'Event' && hasWritten && !isOnLost) {",
    replacement: "if (resource.kind !== 'Event' && hasWritten && (isOnLost || !isOnLost)) {",
  },
  {
    rule: "retries, expires and gives up by the API server's time where the machine's is an hour ahead",
    breaks: 'I18',
    ...believesItsMachine,
  },
  {
    rule: "holds nothing back where the machine's clock is an hour behind",
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
    file: 'functions/flow-advance/decide/status.ts',
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
    rule: 'lets no step end after those began that waited for its end',
    breaks: 'model',
    file: 'functions/flow-advance/decide/steps.ts',
    find: 'return job?.startTime ?? record?.startTime ?? job?.creationTimestamp;',
    replacement: 'return job?.startTime ?? record?.startTime;',
  },
  {
    rule: 'rests while the Jobs of an overdue DaemonJob terminate',
    breaks: 'model, look again',
    file: fanout,
    find: ' && hold?.isEnd !== true;',
    replacement: ';',
  },
  {
    rule: 'keeps a retry of a DaemonJob that is asked for while a changed spec stands still',
    breaks: 'model, status: retryNonce',
    file: fanout,
    find: '...observedGeneration(daemonJob.metadata.generation),',
    replacement: '...common(situation),',
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
    rule: 'asks why the Job of a node does not run as soon as it is on record, also after others',
    breaks: 'model, look again',
    file: fanout,
    find: "recordsRunning: inState(records, 'Active').some(",
    replacement: "recordsRunning: inState(records, 'Active').slice(0, 0).some(",
  },
  {
    rule: 'tells of machines that are gone until each bridge has seen that their Jobs are gone',
    breaks: 'I9: wrote at rest',
    file: 'test/simulation/daemons/seen-fleet.ts',
    find: '(seenJobs === undefined ||',
    replacement: '(seenJobs?.synced !== false ||',
  },
  {
    rule: 'holds back what was due while the time of the last write lay ahead',
    breaks: 'PR1',
    file: 'test/simulation/promptness/owed.ts',
    find: 'return [after(time, 0), after(time, ms)];',
    replacement: 'return [after(time, ms)];',
  },
  {
    rule: 'tells that no node can run a DaemonJob whose machines are gone',
    breaks: 'model, status: reason',
    file: 'functions/daemon-fanout/decide/summary.ts',
    find: 'return { state, ...noNodes(situation, records), ...obstacleOf(records) };',
    replacement: 'return { state, ...obstacleOf(records) };',
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
    rule: 'says nothing of a node that is said of a machine before it',
    breaks: 'model, ',
    file: 'functions/daemon-fanout/decide/nodes.ts',
    find: 'return entry?.state === state ? saidOf(situation, node) : {};',
    replacement: 'return entry === undefined ? {} : saidOf(situation, node);',
  },
  {
    rule: 'asks for the nodes before a retry ends by a view of Jobs that is behind',
    breaks: 'model, sight',
    file: 'functions/daemon-fanout/observe/may-end.ts',
    find: 'if (!hasEnded(daemonJob)) return running.length > 0;',
    replacement: 'if (running.length >= 0) return running.length > 0;',
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
    replacement: 'const others = jobs.filter(({ uid }) => !running.has(uid));',
  },
  {
    rule: 'looks again at an endless DaemonJob whose status tells of other nodes',
    breaks: 'model, at rest',
    file: 'functions/daemon-fanout/subscription/unfinished.ts',
    find: 'return told !== undefined && told !== counted;',
    replacement: 'return told === counted && told === -1;',
  },
  {
    rule: 'counts no nodes of a DaemonJob that was made invalid as its first Jobs were created',
    breaks: 'DJ6',
    file: 'test/simulation/daemons/daemon-witness.ts',
    find: 'if (isRefusedUnstarted(daemonJob)) return [];',
    replacement: '',
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
    rule: "begins rest when no answer from before calm can set a process's time back",
    breaks: 'I9',
    file: 'test/simulation/world/world.ts',
    find: 'this.#isTimeTold = !this.underWay.hasSentBefore(this.scenario.calmFromMs);',
    replacement: 'this.#isTimeTold = true;',
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
    rule: 'counts the time of a DaemonJob anew only by what is on record',
    breaks: 'model, look again: at',
    file: 'functions/daemon-fanout/decide/situation.ts',
    find: 'activeDeadlineMs(daemonJob.spec.activeDeadlineSeconds, status, nowMs)',
    replacement:
      'activeDeadlineMs(daemonJob.spec.activeDeadlineSeconds, situation.retry.isNew ? { startTime: new Date(nowMs).toISOString() } : status, nowMs)',
  },
  {
    rule: 'owes new words about excluded nodes when one is there again',
    breaks: 'model, look again',
    file: 'test/simulation/daemons/model/decision-faults.ts',
    find: '      ...saysStill(`condition ${type}`, message, told.conditions[type]?.omits),\n',
    replacement: '',
  },
  {
    rule: 'reads the template of a step whose dependency is proven by the record alone',
    breaks: 'model, reads: JobTemplate large was not looked for',
    file: 'functions/flow-advance/observe/needs.ts',
    find: 'const begun = [...onRecord, ',
    replacement: 'const begun = [',
  },
  {
    rule: 'takes down what has run on a replaced machine before the name of its Job is free',
    breaks: 'model, status: ledger',
    file: fanout,
    find: 'new Set([...leaving, ...inTheWay, ...excluded.filter(isDeletable)])',
    replacement:
      'new Set([...leaving, ...inTheWay.slice(inTheWay.length), ...excluded.filter(isDeletable)])',
  },
  {
    rule: 'takes early wakes for one moment for a single look',
    breaks: 'PR2: the clock alone asked to look at room 4 times in a row',
    file: 'test/simulation/promptness/traffic.ts',
    find: '+ (isRepeated ? 0 : 1)',
    replacement: '+ 1',
  },
  {
    rule: 'counts what was on its way when a DaemonJob ended as whoever ended it may have seen it',
    breaks: 'DJ6',
    file: 'test/simulation/daemons/daemon-witness.ts',
    find: '!run.isOvertaken &&',
    replacement: 'true &&',
  },
  {
    rule: 'warns again of another closed time although the warning of the one before came too late',
    breaks: 'model, policy',
    file: 'functions/suspend-schedule/decide/actions.ts',
    find: 'if (object.held === held) return undefined;',
    replacement: "if (object.held?.includes('suspends') === true) return undefined;",
  },
  {
    rule: 'blames no create that was on its way when the Job that held its name was deleted',
    breaks: 'DJ1',
    file: 'test/simulation/daemons/daemon-witness.ts',
    find: 'if (first.goneAtMs === undefined || toldAtMs === undefined) return false;',
    replacement:
      'if (deletedAtMs === undefined || first.goneAtMs === undefined || toldAtMs === undefined) return false;',
  },
  {
    rule: 'keeps no view of an object whole before its Jobs have been listed',
    breaks: 'PR1',
    file: 'functions/bridge/stored-views.ts',
    find: 'views.followed(resource).synced ||',
    replacement: 'views.followed(resource).size >= 0 ||',
  },
  {
    rule: 'dates the end of a flow by no Job that nobody could know of',
    breaks: 'I18',
    file: 'test/simulation/invariants/flow-memory.ts',
    find: 'this.ends.findLast(({ job }) => !job.isStray)',
    replacement: "this.ends.findLast(({ job }) => job.uid !== '')",
  },
  {
    rule: 'rests where a DaemonJob with a time to live waits for its first node',
    breaks: 'I5',
    file: 'test/simulation/daemons/daemon-witness.ts',
    find: 'isEndless || waits ||',
    replacement: 'isEndless ||',
  },
  {
    rule: 'blames nobody for a lease that a renewal of unknown fate had changed before its release',
    breaks: 'LE7',
    file: 'test/simulation/invariants/candidacy.ts',
    find: 'if (attempt?.seen !== undefined) this.#settled(this.#isUnsure || !isConflict(error));',
    replacement: 'if (attempt?.seen !== undefined) this.#settled(!isConflict(error));',
  },
  {
    rule: 'blames nobody for what is still on its way when the grace at rest has passed',
    breaks: 'I9: wrote at rest',
    file: 'test/simulation/run-scenario.ts',
    find: 'busy: 5_000, wild: 8_000',
    replacement: 'busy: 5_000, wild: 5_000',
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
    rule: 'blames no policy for what waits until the watchdog has found the wedged takes',
    breaks: 'NP4',
    file: 'test/simulation/world/world.ts',
    find: '(this.faults.fired.takeWedged ?? 0) > 0 ? wedgedMs : 0',
    replacement: '(this.faults.fired.takeWedged ?? 0) > Infinity ? wedgedMs : 0',
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
    rule: 'blames no clock for what was given to one who stood still, and to the next',
    breaks: 'PR2',
    file: 'test/simulation/world/simulated-queue.ts',
    find: 'context.traffic.comesBack(lease.item);',
    replacement: '',
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
    rule: 'creates no Job of a retry again that went before the retry was on record',
    breaks: 'DJ1',
    file: 'functions/daemon-fanout/observe/needs.ts',
    find: 'const ledger = ledgerToGoOnFrom(daemonJob);',
    replacement: 'const ledger = readLedger(daemonJob.status?.ledger);',
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
    rule: 'looks again when the time of a DaemonJob is up that a failed node holds back',
    breaks: 'model, ',
    file: 'functions/daemon-fanout/decide.ts',
    find: 'timeRuns(status, hold) ?',
    replacement: 'timeRuns(status, hold) && hold === undefined ?',
  },
  {
    rule: 'gives no room away that was given before what is seen of it belonged to the policy',
    breaks: 'model, policy: ',
    file: 'functions/suspend-schedule/decide/standing.ts',
    find: "  if (object.isStarting === true) return 'held';\n",
    replacement: '',
  },
  {
    rule: 'blames no create of a process that could not read what is noted of a Job that went',
    breaks: 'I1',
    file: 'test/simulation/invariants/created-job.ts',
    find: 'isNews: isUntold || isNews(creation, overtakenAtMs)',
    replacement: 'isNews: isNews(creation, overtakenAtMs)',
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
    rule: 'takes no Job for that of a machine that only seems older since a clock was set back',
    breaks: 'model, ',
    file: 'functions/daemon-fanout/observe/needs.ts',
    find: 'const isUnsaid = gone.has(trace) && !isLedgerEnd(entry?.state);',
    replacement: 'const isUnsaid = [...gone].some((each) => nameOfTrace(each) === jobName);',
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
    rule: 'waits for the sweep that sets the counts of a DaemonJob right which goes on for ever',
    breaks: 'I9',
    file: 'test/simulation/run-scenario.ts',
    find: '&& owedCounts(world).length === 0;',
    replacement: ';',
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
    rule: 'sweeps no DaemonJob for ever that contradicts itself',
    breaks: 'I9',
    file: 'functions/daemon-fanout/subscription/unfinished.ts',
    find: 'if (!isEndless(daemonJob)) return hasOutlived(daemonJob, nowMs);',
    replacement:
      'if (hasOutlived(daemonJob, nowMs)) return true; if (!isEndless(daemonJob)) return false;',
  },
  {
    rule: 'blames nobody for not counting a Job that was created while the end of its DaemonJob was on its way',
    breaks: 'DJ6',
    file: 'test/simulation/daemons/daemon-witness.ts',
    find: 'run.isOvertaken ||= run.createdAtMs >= lookedAtMs;',
    replacement: ';',
  },
  {
    rule: 'makes another Pod for a Job that was suspended and resumed while its lost one was to be replaced',
    breaks: 'I6',
    file: 'test/simulation/world/job-controller.ts',
    find: 'else if (status.active === undefined) this.#replace(job);',
    replacement: 'else if (status.active === 2) this.#replace(job);',
  },
  {
    rule: 'starts no Job on a node that is free again while the one before is still going, at no look',
    breaks: 'model, status',
    file: 'functions/daemon-fanout/decide/nodes.ts',
    find: 'runOf(earlier).attempt < attempt',
    replacement: 'runOf(earlier).attempt < attempt - 9',
  },
  {
    rule: 'retries by hand from the JobTemplate as it is now',
    breaks: 'model',
    file: 'functions/flow-advance/decide/templates.ts',
    find: 'if (resetSteps.length === 0) return [];',
    replacement: 'if (resetSteps.length >= 0) return [];',
  },
  {
    rule: 'takes off the TTL that somebody else gave a Job until its result is on record',
    breaks: 'model, writes: expected to take off',
    file: 'shared/domain/child-ttl.ts',
    find: 'return isRecorded(job) ? [] : [withoutTtl(namespace, job, ttl)];',
    replacement: 'return isRecorded(job) ? [] : [withoutTtl(namespace, job, ttl)].slice(1);',
  },
  {
    rule: 'runs no more steps at once than the parallelism of the flow',
    breaks: 'model, writes: not expected to create',
    file: 'functions/flow-advance/decide/places.ts',
    find: 'parallelism - takenPlaces(situation, steps)',
    replacement: 'parallelism + 1 - takenPlaces(situation, steps)',
  },
  {
    rule: 'runs a failed flow whose failed step was corrected',
    breaks: 'model',
    file: 'functions/flow-advance/decide/accept.ts',
    find: 'return differing?.filter((name) => !correctable.has(name));',
    replacement: 'return differing?.filter((name) => !correctable.has(`${name} `));',
  },
  {
    rule: 'puts the Job of an excluded node on record before it is deleted',
    breaks: 'model, writes: not expected to delete',
    file: fanout,
    find: 'new Set([...leaving, ...inTheWay, ...excluded.filter(isDeletable)])',
    replacement: 'new Set([...leaving, ...inTheWay])',
  },
];
