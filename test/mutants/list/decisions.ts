/** Bugs in what flow-advance sees and decides. */
import type { Mutant } from '../mutant.ts';

const decide = 'functions/flow-advance/decide';

export const decisionMutants: readonly Mutant[] = [
  {
    name: 'never looks for the child TTL of a template that was resolved at its step',
    file: 'functions/flow-advance/observe/needs.ts',
    find: 'return template === undefined || template.ttlSecondsAfterFinished !== undefined;',
    replacement: 'return template?.ttlSecondsAfterFinished !== undefined;',
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'seeks the template of a dependant by the first attempt of its dependency',
    file: 'functions/flow-advance/observe/needs.ts',
    find: 'dependency, other?.attempt ?? 0)',
    replacement: 'dependency, 0)',
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'knows no success of an attempt that is not on record when it seeks templates',
    file: 'functions/flow-advance/observe/needs.ts',
    find: ' || finished.has(dependency)',
    replacement: '',
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'retries a flow without a look at whether its spec was changed after its end',
    file: 'functions/flow-advance/observe/needs.ts',
    find: 'if (pendingRetry(metadata, status) !== undefined) return true;',
    replacement: '',
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'tells of later attempts under the name of the first',
    file: `${decide}/events.ts`,
    find: 'occurrence: `${first.name}-${attemptOf(first)}`,',
    replacement: 'occurrence: `${first.name}-${attemptOf({})}`,',
    tests: [`${decide}/events.test.ts`],
  },
  {
    name: 'holds a step back for as long as the clocks differ',
    file: `${decide}/coalesce.ts`,
    find: "if (sinceMs > situation.nowMs) return 'now';",
    replacement: "if (sinceMs > Infinity) return 'now';",
    tests: [`${decide}/coalesce.test.ts`],
  },
  {
    name: 'counts no copies of templates when it reckons how large a flow may grow',
    file: `${decide}/stored-size.ts`,
    find: 'parts.appliedCopy + parts.templates + parts.records',
    replacement: 'parts.appliedCopy + parts.records',
    tests: [`${decide}/stored-size.test.ts`],
  },
  {
    name: 'never judges a refused flow again, although a retry is asked for',
    file: 'functions/flow-advance/decide.ts',
    find: 'return !hasStarted(situation) && nonce !== situation.status.retryNonce;',
    replacement: "return !hasStarted(situation) && nonce === '';",
    tests: [`${decide}/stored-size.test.ts`],
  },
  {
    name: 'forgets half of the TTL of a flow',
    file: 'functions/flow-advance/decide/ttl.ts',
    find: 'completedMs + ttlSecondsAfterFinished * 1000;',
    replacement: 'completedMs + ttlSecondsAfterFinished * 500;',
    tests: ['functions/flow-advance/decide/ttl.test.ts'],
  },
  {
    name: 'waits half as long before a retry',
    file: 'functions/flow-advance/decide/retry.ts',
    find: 'failure.atMs + backoffMs(backoff, attempt)',
    replacement: 'failure.atMs + backoffMs(backoff, attempt) / 2',
    tests: ['functions/flow-advance/decide/retry.test.ts'],
  },
  {
    name: 'gives up a flow before its start deadline',
    file: 'functions/flow-advance/decide.ts',
    find: 'return createdMs + spec.startDeadlineSeconds * 1000;',
    replacement: 'return createdMs + spec.startDeadlineSeconds * 900;',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'asks for a name again at every event while a Job under deletion holds it',
    file: 'functions/flow-advance/observe.ts',
    find: 'return heldNames.length === 0 ? {} : { heldNames };',
    replacement: 'return heldNames.length === 0 ? {} : { heldNames: heldNames.slice(0, 0) };',
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'starts nothing beside a step whose name is held',
    file: `${decide}/start.ts`,
    find: 'situation.snapshot.rejections.length > 0',
    replacement: 'situation.rejections.size > 0',
    tests: [`${decide}/refusals.test.ts`],
  },
  {
    name: 'tells children by their labels, not by the uid of their owner',
    file: 'functions/flow-advance/observe.ts',
    find: '.filter(({ metadata }) => isControlledBy(metadata, uid))',
    replacement: ".filter(({ metadata }) => isControlledBy(metadata, uid) || uid !== '')",
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'trusts the uid of the event instead of reading whose the name is',
    file: 'functions/flow-advance/observe.ts',
    find: `if (object?.metadata.uid !== key.uid) return undefined;
  const flow = asJobFlow(object);`,
    replacement: `if (object === undefined) return undefined;
  const flow = asJobFlow({ ...object, metadata: { ...object.metadata, uid: key.uid } });`,
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'runs a done step again when its Job is gone',
    file: `${decide}/steps.ts`,
    find: `if (record.state === 'Succeed' || record.state === 'Failed') return { spec, record };
  const job = jobOf(situation, spec.name, attemptOf(record));`,
    replacement: `const job = jobOf(situation, spec.name, attemptOf(record));
  if (record.state === 'Succeed' && job === undefined) {
    return { spec, record: { name: spec.name, state: 'Waiting' } };
  }
  if (record.state === 'Succeed' || record.state === 'Failed') return { spec, record };`,
    tests: [`${decide}/ttl.test.ts`, 'functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'takes a Job for deleted because the list lacks it',
    file: 'functions/flow-advance/observe.ts',
    find: 'doubtful.map((name) => reader.get(',
    replacement: 'doubtful.slice(0, 0).map((name) => reader.get(',
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'starts the next attempt before the lost one is on record',
    file: `${decide}/steps.ts`,
    find: 'notBeforeMs: situation.nowMs + recordFirstMs,',
    replacement: 'notBeforeMs: situation.nowMs - recordFirstMs,',
    tests: [`${decide}/steps.test.ts`],
  },
  {
    name: 'grants one attempt more than the policy',
    file: `${decide}/retry.ts`,
    find: 'if (attempt > Math.min(policy.limit, maxAttempt)) return undefined;',
    replacement: 'if (attempt > Math.min(policy.limit + 1, maxAttempt)) return undefined;',
    tests: [`${decide}/retry.test.ts`],
  },
  {
    name: 'does not wait before a retry',
    file: `${decide}/start.ts`,
    find: "if ((parseTime(record.nextRetryTime) ?? 0) > situation.nowMs) return { kind: 'wait', record };",
    replacement: '',
    tests: [`${decide}/retry.test.ts`],
  },
  {
    name: 'starts a step while a dependency still runs its last Pods',
    file: `${decide}/start.ts`,
    find: '!satisfied.complete.has(name) && !(early && satisfied.successCriteriaMet.has(name)),',
    replacement:
      '!satisfied.complete.has(name) && (early || !satisfied.successCriteriaMet.has(name)),',
    tests: ['functions/flow-advance/decide.test.ts'],
  },
  {
    name: 'goes on starting under FailFast',
    file: `${decide}/failure.ts`,
    find: "const stopsAll = policy === 'FailFast' || ",
    replacement: 'const stopsAll = ',
    tests: [`${decide}/failure.test.ts`],
  },
  {
    name: 'creates although the flow is suspended',
    file: `${decide}/start.ts`,
    find: `if (isSuspended(situation)) {
    return wait(`,
    replacement: `if (isSuspended(situation) && spec.name === '') {
    return wait(`,
    tests: [`${decide}/suspend.test.ts`],
  },
  {
    name: 'resumes what a person has suspended',
    file: `${decide}/suspend.ts`,
    find: 'return job.annotations[annotations.suspendedBy] === flow.metadata.uid;',
    replacement: "return job.suspend && flow.metadata.uid !== '';",
    tests: [`${decide}/suspend.test.ts`],
  },
  {
    name: 'resolves templates late: nothing is pinned',
    file: `${decide}/templates.ts`,
    find: 'pinned: pins ? references.flatMap((name) => pinOf(known(name))) : [],',
    replacement: 'pinned: [],',
    tests: [`${decide}/templates.test.ts`],
  },
  {
    name: 'advances a flow that has ended',
    file: `${decide}/situation.ts`,
    find: 'return hasStarted(situation) || isJudged || status.reason === tooLateToStart;',
    replacement: 'return !hasStarted(situation) && isJudged;',
    tests: ['functions/flow-advance/decide.test.ts', `${decide}/ttl.test.ts`],
  },
  {
    name: 'reopens a failed flow again and again for one retry',
    file: 'shared/domain/manual-retry.ts',
    find: "return nonce === '' || nonce === status?.retryNonce ? undefined : nonce;",
    replacement: "return nonce === '' || status?.retryNonce === '' ? undefined : nonce;",
    tests: ['shared/domain/manual-retry.test.ts', `${decide}/retry.test.ts`],
  },
  {
    name: 'deletes a flow by its TTL although a retry was asked for',
    file: 'functions/flow-advance/decide.ts',
    find: 'if (isFinished(situation) && retry.resetSteps.length === 0 && !',
    replacement: 'if (isFinished(situation) && !',
    tests: [`${decide}/ttl.test.ts`],
  },
  {
    name: 'deletes a flow by its TTL whatever its version',
    file: `${decide}/ttl.ts`,
    find: `    uid,
    resourceVersion,
    propagation: 'Background',`,
    replacement: `    uid,
    ...(resourceVersion === '' ? { resourceVersion } : {}),
    propagation: 'Background',`,
    tests: [`${decide}/ttl.test.ts`],
  },
  {
    name: 'lets a Job vanish before its result is on record',
    file: `${decide}/render.ts`,
    find: "filter(([name]) => name !== 'ttlSecondsAfterFinished');",
    replacement: "filter(([name]) => name !== 'ttl');",
    tests: [`${decide}/ttl.test.ts`, `${decide}/render.test.ts`],
  },
  {
    name: 'moves lastTransitionTime of a condition that did not change',
    file: 'shared/domain/conditions.ts',
    find: 'previous?.status === next.status ? previous.lastTransitionTime : rfc3339(nowMs);',
    replacement: "previous?.type === '' ? previous.lastTransitionTime : rfc3339(nowMs);",
    tests: ['functions/flow-advance/decide.test.ts', 'functions/flow-advance/properties.test.ts'],
  },
  {
    name: 'removes status fields that only another version knows',
    file: `${decide}/coalesce.ts`,
    find: 'mergePatch(known(situation.status), known(next))',
    replacement: 'mergePatch(situation.status, known(next))',
    tests: [`${decide}/coalesce.test.ts`],
  },
  {
    name: 'refuses a label without naming it',
    file: 'shared/api/job-flow-rules.ts',
    find: 'message: `label "${key}": a value has',
    replacement: 'message: `label "${value}": a value has',
    tests: ['shared/api/validate.test.ts'],
  },
];
