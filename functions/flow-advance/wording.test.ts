/** The words of whole decisions about a running flow. */
import { describe, expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import { at, flow, job, snapshot, step, template } from './testing/builders.ts';
import { decided } from './testing/decided.ts';
import { begun, runs, waits, worded } from './testing/worded.ts';
import { withRejections } from './snapshot.ts';

const steps = [step('a'), step('b', { after: ['a'] })];
const status = decided(snapshot(flow(steps))).status;
const refused = (code: 'NameConflict' | 'Forbidden', name: string) => ({
  name,
  code,
  message: 'as the server said',
});

describe('a flow that runs reports in these words', () => {
  it('that it was started', () => {
    const words = worded(snapshot(flow(steps)));
    expect(words).toEqual([
      ...begun,
      'Event Normal Start Started [start]: started 1 of 2 steps',
      'reason Running: the flow is Running {"state":"Running","progress":"0/2"}',
      'reason Pending: step a: Pending {"step":"a","state":"Pending","attempt":0}',
      'reason DependenciesPending: step b: waiting for a {"step":"b","state":"Waiting","attempt":0}',
    ]);
  });

  it('nothing new when nothing is new', () => {
    const words = worded(snapshot(flow(steps, { status }), { jobs: [job('a', 'pending')] }), 10);
    expect(words).toEqual([
      ...begun,
      'reason Running: the flow is Running {"state":"Running","progress":"0/2"}',
    ]);
  });

  it('that a step is tried again by its policy', () => {
    const patient = [step('a', { retryPolicy: { limit: 2, backoffSeconds: 10 } })];
    const words = worded(snapshot(flow(patient, { status }), { jobs: [job('a', 'failed')] }), 10);
    const why =
      'retry 1 of 2 follows: attempt 0 failed with BackoffLimitExceeded: Job has reached the specified backoff limit';
    const message = `step a until ${at(19)}: ${why}`;
    expect(words).toEqual([
      `flow Running RetryBackoff: ${message}`,
      'step a Waiting RetryBackoff: retry 1 of 2 follows: attempt 0 failed with BackoffLimitExceeded: Job has reached the specified backoff limit',
      ...waits('RetryBackoff', message),
      'Event Warning RetryStep StepRetrying [a-1]: step a: RetryBackoff: retry 1 of 2 follows: attempt 0 failed with BackoffLimitExceeded: Job has reached the specified backoff limit',
      `reason RetryBackoff: ${message} {"state":"Running","progress":"0/1"}`,
      'reason RetryBackoff: step a: retry 1 of 2 follows: attempt 0 failed with BackoffLimitExceeded: Job has reached the specified backoff limit {"step":"a","state":"Waiting","attempt":1}',
    ]);
  });

  it('that a template is missing', () => {
    const referring = [step('a', { jobTemplateRef: 'x' }), step('b')];
    const words = worded(snapshot(flow(referring), { templates: { x: null } }));
    expect(words).toEqual([
      'flow Pending JobTemplateNotFound: step a: there is no JobTemplate "x"',
      'step a Blocked JobTemplateNotFound: there is no JobTemplate "x"',
      'step b Waiting TemplatesPending: nothing starts before the JobTemplates of all steps exist: x',
      'condition Accepted True Valid: the flow can be run',
      'condition TemplatesResolved False JobTemplateNotFound: there is no JobTemplate named x',
      'condition Progressing False JobTemplateNotFound: no step has been started',
      'Event Warning ResolveTemplates JobTemplateNotFound [unknown]: there is no JobTemplate named x',
      'reason JobTemplateNotFound: step a: there is no JobTemplate "x" {"state":"Pending","progress":"0/2"}',
      'reason JobTemplateNotFound: step a: there is no JobTemplate "x" {"step":"a","state":"Blocked","attempt":0}',
      'reason TemplatesPending: step b: nothing starts before the JobTemplates of all steps exist: x {"step":"b","state":"Waiting","attempt":0}',
    ]);
  });

  it('that every template is there', () => {
    const referring = [step('a', { jobTemplateRef: 'x' })];
    const words = worded(snapshot(flow(referring), { templates: { x: template('x') } }));
    expect(words).toEqual([
      'flow Running -',
      'step a Pending -',
      'condition Accepted True Valid: the flow can be run',
      'condition TemplatesResolved True Resolved: every JobTemplate that is needed exists',
      'condition Progressing True Running: steps are being run',
      'Event Normal Start Started [start]: started 1 of 1 steps',
      'reason Running: the flow is Running {"state":"Running","progress":"0/1"}',
      'reason Pending: step a: Pending {"step":"a","state":"Pending","attempt":0}',
    ]);
  });

  it('that a name is taken', () => {
    const words = worded(withRejections(snapshot(flow(steps)), [refused('NameConflict', 'etl-a')]));
    expect(words).toEqual([
      'flow Pending NameConflict: step a: as the server said',
      'step a Blocked NameConflict: as the server said',
      'step b Waiting DependenciesPending: waiting for a',
      'condition Accepted True Valid: the flow can be run',
      'condition Progressing False NameConflict: no step has been started',
      'condition Blocked True NameConflict: step a: as the server said',
      'Event Warning CreateJob NameConflict [unknown]: step a: as the server said',
      'reason NameConflict: step a: as the server said {"state":"Pending","progress":"0/2"}',
      'reason NameConflict: step a: as the server said {"step":"a","state":"Blocked","attempt":0}',
      'reason DependenciesPending: step b: waiting for a {"step":"b","state":"Waiting","attempt":0}',
    ]);
  });

  it('that its steps were changed', () => {
    const changed = flow(steps, { status: { ...status, flowsHash: 'old' }, generation: 2 });
    const words = worded(snapshot(changed, { jobs: [job('a', 'running')], flowsHash: 'new' }));
    expect(words).toEqual([
      'flow Running SpecChanged: steps, shared volumes or global parameters were changed after the start; nothing new starts until they are restored',
      'step a Pending -',
      'step b Waiting DependenciesPending: waiting for a',
      'condition Accepted False SpecChanged: steps, shared volumes or global parameters were changed after the start; nothing new starts until they are restored',
      'condition Progressing True Running: steps are being run',
      'Event Warning Validate SpecChanged [2026-01-05T10:00:00Z]: steps, shared volumes or global parameters were changed after the start; nothing new starts until they are restored',
      'reason SpecChanged: steps, shared volumes or global parameters were changed after the start; nothing new starts until they are restored {"state":"Running","progress":"0/2"}',
    ]);
  });

  it('that it is being deleted', () => {
    const words = worded(snapshot(flow(steps, { status, deletionTimestamp: at(5) })), 6);
    expect(words).toEqual([
      'flow Terminating -',
      'step a Pending -',
      'step b Waiting DependenciesPending: waiting for a',
      ...runs,
      'reason Terminating: the flow is Terminating {"state":"Terminating","progress":"0/2"}',
    ]);
  });
});

describe('a suspended flow reports in these words', () => {
  const fields = { status, spec: { suspend: true }, generation: 2 };
  const stopped = job('a', 'suspended', { annotations: { [annotations.suspendedBy]: 'x' } });

  it('that nothing of it starts', () => {
    const words = worded(snapshot(flow(steps, { spec: { suspend: true } })));
    expect(words).toEqual([
      'flow Suspended FlowSuspended: spec.suspend is true',
      'step a Waiting FlowSuspended: the flow is suspended',
      'step b Waiting DependenciesPending: waiting for a',
      'condition Accepted True Valid: the flow can be run',
      'condition Progressing False Suspended: spec.suspend is true',
      'condition Suspended True FlowSuspended: spec.suspend is true: nothing new starts',
      'Event Normal Suspend Suspended [unknown]: spec.suspend is true: nothing new starts',
      'reason FlowSuspended: spec.suspend is true {"state":"Suspended","progress":"0/2"}',
      'reason FlowSuspended: step a: the flow is suspended {"step":"a","state":"Waiting","attempt":0}',
      'reason DependenciesPending: step b: waiting for a {"step":"b","state":"Waiting","attempt":0}',
    ]);
  });

  it('that what runs is being stopped', () => {
    const words = worded(snapshot(flow(steps, fields), { jobs: [job('a', 'running')] }), 5);
    expect(words).toEqual([
      'flow Suspended FlowSuspended: spec.suspend is true',
      'step a Running -',
      'step b Waiting DependenciesPending: waiting for a',
      'condition Accepted True Valid: the flow can be run',
      'condition Progressing False Suspended: spec.suspend is true',
      'condition Suspended False Suspending: running steps are being stopped',
      'reason FlowSuspended: spec.suspend is true {"state":"Suspended","progress":"0/2"}',
      'reason Running: step a: Running {"step":"a","state":"Running","attempt":0}',
    ]);
  });

  it('that everything has stopped', () => {
    const words = worded(snapshot(flow(steps, fields), { jobs: [stopped] }), 5);
    expect(words).toEqual([
      'flow Suspended FlowSuspended: spec.suspend is true',
      'step a Suspended FlowSuspended: suspended together with the flow',
      'step b Waiting DependenciesPending: waiting for a',
      'condition Accepted True Valid: the flow can be run',
      'condition Progressing False Suspended: spec.suspend is true',
      'condition Suspended True FlowSuspended: spec.suspend is true: nothing new starts',
      'Event Normal Suspend Suspended [unknown]: spec.suspend is true: nothing new starts',
      'reason FlowSuspended: spec.suspend is true {"state":"Suspended","progress":"0/2"}',
      'reason FlowSuspended: step a: suspended together with the flow {"step":"a","state":"Suspended","attempt":0}',
    ]);
  });

  it('that it goes on', () => {
    const { status: suspended } = decided(snapshot(flow(steps, fields), { jobs: [stopped] }), 5);
    const resumed = flow(steps, { status: suspended, generation: 3 });
    const words = worded(snapshot(resumed, { jobs: [stopped] }), 6);
    expect(words).toEqual([
      'flow Running -',
      'step a Suspended FlowSuspended: suspended together with the flow',
      'step b Waiting DependenciesPending: waiting for a',
      ...runs,
      'condition Suspended False Resumed: the flow is not suspended',
      'Event Normal Resume Resumed [generation-3]: the flow continues',
      'reason Running: the flow is Running {"state":"Running","progress":"0/2"}',
    ]);
  });
});
