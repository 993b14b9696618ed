/** Bugs in what daemon-fanout sees and decides. */
import type { Mutant } from '../mutant.ts';

const folder = 'functions/daemon-fanout';
const decide = `${folder}/decide`;
const decideTests = [`${folder}/decide.test.ts`];
const policyTests = [`${decide}/policies.test.ts`];

export const daemonMutants: readonly Mutant[] = [
  {
    name: 'runs again where it succeeded once the Job is gone',
    file: `${decide}/nodes.ts`,
    find: "if (entry?.state === 'Succeeded') return { node, state: 'Succeeded', attempt };",
    replacement: '',
    tests: decideTests,
  },
  {
    name: 'takes a started Job that is not in sight for one that was never created',
    file: `${decide}/nodes.ts`,
    find: "if (isStarted(entry) && !situation.jobs.has(jobName)) return { node, state: 'Active', attempt };",
    replacement: '',
    tests: decideTests,
  },
  {
    name: 'takes the removal of the Job of another machine for that of its own',
    file: `${decide}/nodes.ts`,
    find: 'createdMs < startedMs - oldestViewMs;',
    replacement: 'createdMs > 0;',
    tests: decideTests,
  },
  {
    name: 'takes the Job of another machine, which its create found, for one that is not in sight yet',
    file: `${decide}/nodes.ts`,
    find: 'if (isStarted(entry) && !situation.jobs.has(jobName))',
    replacement: 'if (isStarted(entry))',
    tests: decideTests,
  },
  {
    name: 'leaves running what whoever wrote the end did not see',
    file: 'functions/daemon-fanout/decide.ts',
    find: 'const left = snapshot.jobs.filter(isDeletable);',
    replacement: 'const left = snapshot.jobs.filter(isDeletable).slice(0, 0);',
    tests: decideTests,
  },
  {
    name: 'deletes the Job of a machine on the word of a view that is behind',
    file: `${decide}/start.ts`,
    find: 'return nowMs < untilMs ? untilMs : undefined;',
    replacement: 'return nowMs > untilMs ? untilMs : undefined;',
    tests: decideTests,
  },
  {
    name: 'takes a Job of another node for its own by its name',
    file: `${decide}/start.ts`,
    find: 'if (situation.snapshot.nodes.some((other) => other.uid === uid)) {',
    replacement: "if (situation.snapshot.nodes.some((other) => other.uid === uid && uid === '')) {",
    tests: decideTests,
  },
  {
    name: 'asks for all Jobs at once, however many are refused',
    file: `${decide}/start.ts`,
    find: 'let size = 1;',
    replacement: 'let size = largestStage;',
    tests: decideTests,
  },
  {
    name: 'rounds a share of the nodes down',
    file: `${decide}/start.ts`,
    find: 'Math.ceil(',
    replacement: 'Math.floor(',
    tests: policyTests,
  },
  {
    name: 'gives the slot of a Job that is not in sight away',
    file: `${decide}/nodes.ts`,
    find: 'return snapshot.jobs.filter(isUnfinished).length + unseen.length;',
    replacement: 'return snapshot.jobs.filter(isUnfinished).length + unseen.length * 0;',
    tests: policyTests,
  },
  {
    name: 'deletes what runs before it is on record',
    file: 'functions/daemon-fanout/decide.ts',
    find: "situation.recorded.get(node.key)?.state === 'Started'",
    replacement: "situation.recorded.get(node.key)?.state !== 'Retired'",
    tests: policyTests,
  },
  {
    name: 'starts new nodes beside a failed one that pauses it',
    file: `${decide}/policies.ts`,
    find: "if (failed === undefined || policy !== 'Pause') return undefined;",
    replacement: "if (failed !== undefined || policy !== 'Pause') return undefined;",
    tests: policyTests,
  },
  {
    name: 'retries a node under the name of the attempt that failed',
    file: `${decide}/retry.ts`,
    find: 'attempt: entry.attempt + 1 }',
    replacement: 'attempt: entry.attempt }',
    tests: policyTests,
  },
  {
    name: 'counts the deadline from the start alone',
    file: `${decide}/situation.ts`,
    find: "turnedAt(situation, 'Suspended', 'False') ?? startedMs,",
    replacement: 'startedMs,',
    tests: policyTests,
  },
  {
    name: 'asks a node that was refused first again',
    file: `${decide}/coalesce.ts`,
    find: "state === 'Blocked' || reason === nodeGone",
    replacement: 'reason === nodeGone',
    tests: policyTests,
  },
  {
    name: 'holds the first failure of a node back',
    file: `${decide}/coalesce.ts`,
    find: 'return conditions.map(({ type, status, reason }) => [type, status, reason]);',
    replacement:
      'return conditions.map(({ type, status, reason }) => [type, status, reason]).slice(0, 0);',
    tests: policyTests,
  },
  {
    name: 'forgets that a Job was deleted because its node was excluded',
    file: `${decide}/entries.ts`,
    find: "return wasCreated ? { state: 'Retired', attempt } : known;",
    replacement: "return wasCreated && attempt > 99 ? { state: 'Retired', attempt } : known;",
    tests: decideTests,
  },
  {
    name: 'runs on a node that is excluded with a blank before its name',
    file: 'shared/domain/excluded-nodes.ts',
    find: 'name.trim()',
    replacement: 'name.trimEnd()',
    tests: decideTests,
  },
  {
    name: 'gives nodes whose names differ in a dot one Job',
    file: 'shared/domain/node-job-name.ts',
    find: '`${daemonJob}/${node}/${attempt}`',
    replacement: '`${daemonJob}/${sanitised(node)}/${attempt}`',
    tests: ['shared/domain/node-job-name.test.ts'],
  },
  {
    name: 'takes an empty term of an affinity for one that every node matches',
    file: 'shared/domain/node-eligibility.ts',
    find: 'if (expressions.length + fields.length === 0) return false;',
    replacement: '',
    tests: ['shared/domain/node-eligibility.test.ts'],
  },
  {
    name: 'takes a node for gone that a list lacks',
    file: `${folder}/observe/nodes.ts`,
    find: 'return isKnown && !isFinishedJob(job) ? [name] : [];',
    replacement: 'return isKnown && isFinishedJob(job) ? [name] : [];',
    tests: [`${folder}/observe.test.ts`],
  },
  {
    name: 'wakes every DaemonJob with the heartbeat of a node',
    file: `${folder}/subscription/node.ts`,
    find: 'ready ?? null,',
    replacement: 'ready ?? null, JSON.stringify(node.status ?? {}),',
    tests: [`${folder}/subscription.test.ts`],
  },
  {
    name: 'never looks again at what goes on for ever and has missed a node',
    file: `${folder}/subscription/unfinished.ts`,
    find: "isEndless(daemonJob) && status?.state === 'Succeed' && hasNewNode(daemonJob, seen);",
    replacement:
      "isEndless(daemonJob) && status?.state === 'Failed' && hasNewNode(daemonJob, seen);",
    tests: [`${folder}/subscription.test.ts`],
  },
];
