/** The words of whole decisions about steps whose Jobs exist and do not run as intended. */
import { expect, it } from 'vitest';
import { withWarnings } from './snapshot.ts';
import { at, flow, job, record, snapshot, started, step } from './testing/builders.ts';
import { runs, waits, worded } from './testing/worded.ts';

const names = ['a', 'b', 'c'];
const steps = names.map((name) => step(name));
const records = names.map((name) => record(name, 'Running', { startTime: at(1) }));
const status = started(records, { observedGeneration: 1 });
const trouble = (pod: string, reason: string, message: string) => ({
  pods: { active: 1, failed: 0, trouble: { pod, reason, message, since: at(1) } },
});

const noNode = (name: string) =>
  `Pod etl-${name}-x: no node; kubectl -n default describe pod etl-${name}-x`;
const noImage = 'Pod etl-b-x: no image; kubectl -n default describe pod etl-b-x';
const noPod =
  'the Job has no Pod, and the reason is not known yet: see the Events of the Job; kubectl -n default describe job etl-a';
const leftOut =
  'unknown field "spec.w", unknown field "spec.x", unknown field "spec.y" and 1 more: the cluster left it out of the Job; kubectl explain job.spec';

it('a flow reports steps that are held up by one Event for each reason', () => {
  const jobs = [
    { ...job('a', 'running'), ...trouble('etl-a-x', 'Unschedulable', 'no node') },
    { ...job('b', 'running'), ...trouble('etl-b-x', 'ErrImagePull', 'no image') },
    { ...job('c', 'running'), ...trouble('etl-c-x', 'Unschedulable', 'no node') },
  ];
  expect(worded(snapshot(flow(steps, { status }), { jobs }), 60)).toEqual([
    `flow Running Unschedulable: step a: ${noNode('a')}`,
    `step a Running Unschedulable: ${noNode('a')}`,
    `step b Running ErrImagePull: ${noImage}`,
    `step c Running Unschedulable: ${noNode('c')}`,
    ...waits('Unschedulable', `step a: ${noNode('a')}`),
    `Event Warning RunStep Unschedulable [a-0]: step a: Unschedulable: ${noNode('a')}; also c`,
    `Event Warning RunStep ErrImagePull [b-0]: step b: ErrImagePull: ${noImage}`,
    `reason Unschedulable: step a: ${noNode('a')} {"state":"Running","progress":"0/3"}`,
    `reason Unschedulable: step a: ${noNode('a')} {"step":"a","state":"Running","attempt":0}`,
    `reason ErrImagePull: step b: ${noImage} {"step":"b","state":"Running","attempt":0}`,
    `reason Unschedulable: step c: ${noNode('c')} {"step":"c","state":"Running","attempt":0}`,
  ]);
});

it('a flow reports a Job that has no Pod', () => {
  const jobs = [
    { ...job('a', 'running'), pods: { active: 0, failed: 0, events: {} } },
    job('b', 'running'),
    job('c', 'running'),
  ];
  expect(worded(snapshot(flow(steps, { status }), { jobs }), 60)).toEqual([
    `flow Running NoPod: step a: ${noPod}`,
    `step a Running NoPod: ${noPod}`,
    'step b Running -',
    'step c Running -',
    ...waits('NoPod', `step a: ${noPod}`),
    `Event Warning RunStep NoPod [a-0]: step a: NoPod: ${noPod}`,
    `reason NoPod: step a: ${noPod} {"state":"Running","progress":"0/3"}`,
    `reason NoPod: step a: ${noPod} {"step":"a","state":"Running","attempt":0}`,
  ]);
});

it('a flow reports fields that the cluster left out, three of a step by name', () => {
  const lost = ['w', 'x', 'y', 'z'].map((field) => ({
    name: 'etl-a',
    message: `unknown field "spec.${field}"`,
  }));
  const jobs = names.map((name) => job(name, 'running'));
  const seen = withWarnings(snapshot(flow(steps, { status }), { jobs }), lost);
  expect(worded(seen, 60)).toEqual([
    'flow Running -',
    `step a Running UnknownField: ${leftOut}`,
    'step b Running -',
    'step c Running -',
    `condition Accepted True UnknownField: step a: ${leftOut}`,
    ...runs.slice(1),
    `Event Warning CreateJob UnknownField [a]: step a: ${leftOut}`,
    'reason Running: the flow is Running {"state":"Running","progress":"0/3"}',
    `reason UnknownField: step a: ${leftOut} {"step":"a","state":"Running","attempt":0}`,
  ]);
});

it('a flow reports a manual gate and a Job that was suspended by hand', () => {
  const message =
    'the Job is suspended, and not by this flow: run millrace approve, or set its spec.suspend to false';
  const jobs = [job('a', 'suspended'), job('b', 'running'), job('c', 'running')];
  expect(worded(snapshot(flow(steps, { status }), { jobs }), 60)).toEqual([
    `flow Running ManualGate: step a: ${message}`,
    `step a Suspended ManualGate: ${message}`,
    'step b Running -',
    'step c Running -',
    ...waits('ManualGate', `step a: ${message}`),
    `Event Normal RunStep ManualGate [a-0]: step a: ManualGate: ${message}`,
    `reason ManualGate: step a: ${message} {"state":"Running","progress":"0/3"}`,
    `reason ManualGate: step a: ${message} {"step":"a","state":"Suspended","attempt":0}`,
  ]);
});

it('a flow reports a template that is missing for a later step only', () => {
  const late = [step('a'), step('b', { after: ['a'], jobTemplateRef: 'x' })];
  const why = 'nothing starts before the JobTemplates of all steps exist: x';
  expect(worded(snapshot(flow(late), { templates: { x: null } })).slice(0, 6)).toEqual([
    `flow Pending TemplatesPending: step a: ${why}`,
    `step a Waiting TemplatesPending: ${why}`,
    'step b Waiting DependenciesPending: waiting for a',
    'condition Accepted True Valid: the flow can be run',
    'condition TemplatesResolved False JobTemplateNotFound: there is no JobTemplate named x',
    'condition Progressing False TemplatesPending: no step has been started',
  ]);
});
