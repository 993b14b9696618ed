/** Bugs in what flow-advance sees and decides. */
import type { Mutant } from '../mutant.ts';

const decide = 'functions/flow-advance/decide';

export const decisionMutants: readonly Mutant[] = [
  {
    name: 'retries without a look at whether the spec was changed after the end',
    file: 'shared/parents/acceptance.ts',
    find: 'if (pendingRetry(metadata, status) !== undefined) return true;',
    replacement: '',
    tests: [
      'functions/flow-advance/observe/template.test.ts',
      'functions/daemon-fanout/observe/needs.test.ts',
    ],
  },
  {
    name: 'runs a retry by hand before it is on record',
    file: `${decide}/start.ts`,
    find: 'hasRefusedCreates(situation) || resetSteps.length > 0',
    replacement: 'hasRefusedCreates(situation)',
    tests: [`${decide}/retry.test.ts`],
  },
  {
    name: 'lets run what a flow without time left runs',
    file: `${decide}/early-end.ts`,
    find: 'if (isOverdue(situation)) return',
    replacement: "if (isOverdue(situation) && mode === 'Stop') return",
    tests: [`${decide}/deadline.test.ts`],
  },
  {
    name: 'forgets when the time of a flow is up',
    file: 'functions/flow-advance/decide.ts',
    find: 'deadlineDueMs(situation, status),',
    replacement: '',
    tests: [`${decide}/deadline.test.ts`],
  },
  {
    name: 'gives a retry no time of its own',
    file: 'shared/parents/active-deadline.ts',
    find: "['Suspended', 'Failed']",
    replacement: "['Suspended']",
    tests: [`${decide}/deadline.test.ts`, 'functions/daemon-fanout/decide/policies.test.ts'],
  },
  {
    name: 'starts nothing beside a step whose name is held',
    file: `${decide}/start.ts`,
    find: 'hasRefusedCreates(situation) ||',
    replacement: 'situation.rejections.size > 0 ||',
    tests: [`${decide}/refusals.test.ts`],
  },
  {
    name: 'trusts the uid of the event instead of reading whose the name is',
    file: 'functions/flow-advance/observe.ts',
    find: `if (object?.metadata.uid !== key.uid) return undefined;
  const { flow, unproven } = withProvenPins(asJobFlow(object), seal);`,
    replacement: `if (object === undefined) return undefined;
  const own = asJobFlow({ ...object, metadata: { ...object.metadata, uid: key.uid } });
  const { flow, unproven } = withProvenPins(own, seal);`,
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
    name: "takes another owner's Job for the answer that an old view has under the name",
    file: 'shared/kube/children.ts',
    find: 'reader.get(resources.Job, { namespace, name }, uid)',
    replacement: 'reader.get(resources.Job, { namespace, name })',
    tests: ['functions/flow-advance/observe.test.ts'],
  },
  {
    name: 'deletes a flow by its TTL whatever its version',
    file: 'shared/parents/parent-ttl.ts',
    find: `    resourceVersion,
    propagation: 'Background',`,
    replacement: `    ...(resourceVersion === '' ? { resourceVersion } : {}),
    propagation: 'Background',`,
    tests: [`${decide}/ttl.test.ts`],
  },
  {
    name: 'removes status fields that only another version knows',
    file: `${decide}/coalesce.ts`,
    find: 'asStored(flow.spec.flows, compared(each))',
    replacement: 'asStored(flow.spec.flows, each)',
    tests: [`${decide}/coalesce.test.ts`],
  },
];
