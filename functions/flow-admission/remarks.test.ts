/** Some settings cause a warning and others do not: users ignore all warnings if some are meaningless. */
import { describe, expect, it } from 'vitest';
import type { JobFlowSpec } from '#shared/api/job-flow.ts';
import type { JobSpec } from '#shared/api/pod-template.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import { container, daemonJob, flow, job, step, template } from './testing/reviews.ts';
import { daemonJobSubmission } from '#shared/api/work/submission/daemon-job.ts';
import { jobFlowSubmission } from '#shared/api/work/submission/job-flow.ts';
import { jobTemplateSubmission } from '#shared/api/work/submission/job-template.ts';
import { remarksOnFlow, remarksOnJob } from '#shared/api/work/submission/remarks.ts';

const onJob = (pod: JsonObject = {}, spec: JsonObject = {}, retries?: number) =>
  remarksOnJob('it', job(pod, spec) as unknown as JobSpec, retries);
const onFlow = (spec: JsonObject) => remarksOnFlow(spec as unknown as JobFlowSpec);

describe('tries', () => {
  it('multiply where both the step and its Job try again', () => {
    expect(onJob({}, { backoffLimit: 3 }, 2)).toEqual([
      'it: retryPolicy and backoffLimit multiply, to 12 Pods in all',
    ]);
  });

  it.each([
    ['only the step tries again', {}, 2],
    ['only its Job does', { backoffLimit: 3 }, 0],
    ['its step has no retryPolicy', { backoffLimit: 3 }, undefined],
  ])('are not remarked on where %s', (_, spec, retries) => {
    expect(onJob({}, spec, retries)).toEqual([]);
  });
});

describe('a command', () => {
  const running = (command: unknown) => ({ ...container, command }) as unknown as JsonObject;

  it.each([
    ['sleep 5', ['sleep', '5']],
    ['./bin/run-all.sh  -x a', ['./bin/run-all.sh', '-x', 'a']],
  ])('of one text that reads like several words is remarked on: %s', (program, words) => {
    const remark = `it: container "main" runs a program called "${program}"; for words write ${JSON.stringify(words)}`;
    expect(onJob({ containers: [running([program])] })).toEqual([remark]);
    expect(onJob({ initContainers: [running([program])] })).toEqual([remark]);
  });

  it.each([
    ['of one word', ['sleep']],
    ['that ends with a blank', ['sleep ']],
    ['whose program only has a blank in its path', ['/opt/"my app"/run']],
    ['of several texts', ['sleep 5', 'x']],
    ['of none', []],
    ['that is no list', 'sleep 5'],
    ['that is no text', [5]],
    ['that is not there', undefined],
  ])('%s is not', (_, command) => {
    expect(onJob({ containers: [running(command)] })).toEqual([]);
  });
});

describe('a shared volume', () => {
  const shareVolumes = [{ name: 'data', emptyDir: {} }];
  const volumeMounts = [{ name: 'data', mountPath: '/data' }];

  it('is remarked on when nothing mounts it', () => {
    expect(onFlow({ shareVolumes, flows: [step('a')] })).toEqual([
      'spec.shareVolumes: "data" is mounted by no container',
    ]);
  });

  it('is not when an init container mounts it', () => {
    const initContainers = [{ ...container, volumeMounts }];
    const flows = [step('a', { jobTemplate: job({ initContainers }) })];
    expect(onFlow({ shareVolumes, flows })).toEqual([]);
  });

  it('is not when one of the steps is a JobTemplate, which may mount it', () => {
    expect(
      onFlow({ shareVolumes, flows: [step('a'), { name: 'b', jobTemplateRef: 't' }] }),
    ).toEqual([]);
  });
});

describe('a volume that each Pod has for itself', () => {
  const shareVolumeMounts = [{ name: 'work', mountPath: '/work' }];
  const flows = [step('write'), step('read', { dependencies: ['write'] })];
  const words = (source: string) =>
    `shareVolumes: "work" is of the kind ${source}: each Pod has its own, empty at its start, and no step sees what another one wrote; use a persistentVolumeClaim to pass files on`;

  it.each<[string, JsonObject]>([
    ['emptyDir', { emptyDir: {} }],
    ['emptyDir', {}],
    ['ephemeral', { ephemeral: { volumeClaimTemplate: {} } }],
  ])('is remarked on when several steps mount it: %s %j', (kind, source) => {
    const shareVolumes = [{ name: 'work', ...source }];
    expect(onFlow({ shareVolumes, shareVolumeMounts, flows })).toEqual([words(kind)]);
    const apart = flows.map((each) => ({ ...each, shareVolumes, shareVolumeMounts }));
    expect(onFlow({ flows: apart })).toEqual([words(kind)]);
    const byRef = ['a', 'b'].map((name) => ({ name, jobTemplateRef: 't' }));
    expect(onFlow({ shareVolumes, shareVolumeMounts, flows: byRef })).toEqual([words(kind)]);
  });

  it('is remarked on when the containers of several steps mount it themselves', () => {
    const volumeMounts = [{ name: 'work', mountPath: '/work' }];
    const jobTemplate = job({ containers: [{ ...container, volumeMounts }] });
    const shareVolumes = [{ name: 'work', emptyDir: {} }];
    const mounting = (name: string) => step(name, { jobTemplate });
    expect(onFlow({ shareVolumes, flows: [mounting('a'), mounting('b')] })).toEqual([
      words('emptyDir'),
    ]);
    expect(onFlow({ shareVolumes, flows: [mounting('a'), step('b')] })).toEqual([]);
  });

  it('is not when one step has it, or all have one that outlives their Pods', () => {
    const shareVolumes = [{ name: 'work', emptyDir: {} }];
    expect(onFlow({ shareVolumes, shareVolumeMounts, flows: [step('a')] })).toEqual([]);
    const claim = [{ name: 'work', persistentVolumeClaim: { claimName: 'c' } }];
    expect(onFlow({ shareVolumes: claim, shareVolumeMounts, flows })).toEqual([]);
    const replaced = flows.map((each) => ({ ...each, shareVolumes: claim }));
    expect(onFlow({ shareVolumes, shareVolumeMounts, flows: replaced })).toEqual([]);
  });
});

describe('an end of life', () => {
  it('is remarked on when there is no time to read how it ended', () => {
    const words = (what: string) =>
      `spec.ttlSecondsAfterFinished is 0: the ${what} is removed with its status as soon as it ends`;
    const ttlSecondsAfterFinished = 0;
    expect(jobFlowSubmission.remarks?.(flow([step('a')], { ttlSecondsAfterFinished }))).toEqual([
      words('flow'),
    ]);
    expect(daemonJobSubmission.remarks?.(daemonJob({ ...job(), ttlSecondsAfterFinished }))).toEqual(
      [words('DaemonJob')],
    );
  });

  it('is not when there is some', () => {
    expect(onFlow({ ttlSecondsAfterFinished: 1, flows: [step('a')] })).toEqual([]);
  });
});

it('what is remarked on is named by where it stands', () => {
  const suspended = job({}, { suspend: true });
  const words = 'its Job is created suspended, and Millrace does not resume it';
  expect(jobFlowSubmission.remarks?.(flow([step('a', { jobTemplate: suspended })]))).toEqual([
    `step "a": ${words}`,
  ]);
  expect(jobTemplateSubmission.remarks?.(template(suspended))).toEqual([
    `spec.jobTemplate: ${words}`,
  ]);
  const restarting = daemonJob(job({ restartPolicy: 'OnFailure' }));
  expect(daemonJobSubmission.remarks?.(restarting)).toEqual([
    'spec.template: restartPolicy OnFailure becomes Never: what fails is replaced (backoffLimit), not restarted',
  ]);
});
