import { describe, expect, it } from 'vitest';
import { asUid } from '#shared/domain/objects.ts';
import {
  at,
  busybox,
  flow,
  flowUid,
  record,
  started,
  step,
  type FlowFields,
} from '../testing/builders.ts';
import { ModelCluster } from '../testing/model-cluster.ts';
import { seen } from '../testing/stored.ts';
import { sealOfProcess } from './pin-seal.ts';

const steps = [step('a'), step('b', { after: ['a'] })];

describe('reads no more than the decision needs (I10)', () => {
  const own = { jobTemplate: { ...busybox, ttlSecondsAfterFinished: 5 } };
  const over = started([record('a', 'Succeed')], { state: 'Succeed' });
  const ref = [
    step('a', { jobTemplateRef: 't1' }),
    step('b', { jobTemplateRef: 't2', after: ['a'] }),
  ];
  const written = { name: 't1', uid: asUid('u'), generation: 1, hash: 'h', jobTemplate: busybox };
  const pin = { ...written, seal: sealOfProcess.of(flowUid, written) };

  it.each<readonly [string, Parameters<typeof flow>[0], FlowFields, readonly string[]]>([
    ['a new flow: nothing', steps, {}, []],
    ['a new flow that is suspended: its Jobs', steps, { spec: { suspend: true } }, ['list Job']],
    [
      'a new flow that may be late: its Jobs',
      steps,
      { spec: { startDeadlineSeconds: 1 } },
      ['list Job'],
    ],
    ['a running flow: its Jobs', steps, { status: started([]) }, ['list Job']],
    [
      'a flow that is over: its Jobs, for a TTL that they wait for',
      ref,
      { status: over },
      ['list Job'],
    ],
    [
      'a flow that has failed: its Jobs, for a TTL that they wait for',
      [step('a')],
      { status: started([record('a', 'Failed')], { state: 'Failed' }) },
      ['list Job'],
    ],
    [
      'a flow that was refused: its templates, since it may be judged anew',
      ref,
      { status: { state: 'Failed', observedGeneration: 1 } },
      ['list Job', 'get JobTemplate t1', 'get JobTemplate t2'],
    ],
    [
      'a flow that is over, with ResolveAtStep and a step that never started: no template',
      [step('a', own), step('b', { jobTemplateRef: 't1' })],
      {
        spec: { templatePolicy: 'ResolveAtStep' },
        status: started([record('a', 'Failed'), record('b', 'Skipped')], { state: 'Failed' }),
      },
      ['list Job'],
    ],
    [
      'a flow that is over and retried, with ResolveAtStep: the templates of what starts',
      [step('a', own), step('b', { jobTemplateRef: 't1' })],
      {
        spec: { templatePolicy: 'ResolveAtStep' },
        status: started([record('a', 'Failed'), record('b', 'Skipped')], { state: 'Failed' }),
        retry: 'x',
      },
      ['list Job', 'get JobTemplate t1'],
    ],
    [
      'a flow that is over and retried: its Jobs',
      [step('a')],
      { status: over, retry: 'x' },
      ['list Job'],
    ],
    [
      'a flow that is being deleted: nothing',
      ref,
      {
        status: started([record('a', 'Blocked', { reason: 'NameTerminating' })]),
        deletionTimestamp: at(1),
      },
      [],
    ],
    ['templates before the start: all', ref, {}, ['get JobTemplate t1', 'get JobTemplate t2']],
    [
      'templates that are pinned: none of them again',
      ref,
      { status: started([], { pinnedTemplates: [pin] }) },
      ['list Job', 'get JobTemplate t2'],
    ],
    [
      'templates with ResolveAtStep before the start: those of the first steps',
      ref,
      { spec: { templatePolicy: 'ResolveAtStep' } },
      ['get JobTemplate t1'],
    ],
    [
      'templates with ResolveAtStep: those of steps that may start now',
      ref,
      { spec: { templatePolicy: 'ResolveAtStep' }, status: started([record('a', 'Succeed')]) },
      ['list Job', 'get JobTemplate t2'],
    ],
  ])('%s', async (_, flows, fields, reads) => {
    const cluster = new ModelCluster(flow(flows, fields));
    await seen(cluster);
    expect(cluster.reads).toEqual(['get JobFlow etl', ...reads]);
  });
});
