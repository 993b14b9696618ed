import { describe, expect, it } from 'vitest';
import { frozenHash } from '#shared/api/frozen-spec.ts';
import { contentHash } from '#shared/domain/hash.ts';
import { labels } from '#shared/domain/labels.ts';
import { type JsonObject, type KubeObject } from '#shared/domain/objects.ts';
import type { Reader } from '#shared/kube/reader.ts';
import { observe } from '../observe.ts';
import { sealOfProcess } from './pin-seal.ts';
import {
  at,
  busybox,
  flow,
  flowUid,
  record,
  started,
  step,
  template,
  type FlowFields,
} from '../testing/builders.ts';
import { ModelCluster } from '../testing/model-cluster.ts';
import { seen, storedJob, storedTemplate } from '../testing/stored.ts';

const steps = [step('a'), step('b', { after: ['a'] })];

describe('a JobTemplate is read from the API server, because a user may have changed it a moment before', () => {
  const byStep = { templatePolicy: 'ResolveAtStep' } as const;
  const failed = started([record('a', 'Failed')], { state: 'Failed' });
  it.each<[string, Parameters<typeof flow>[1], ('now' | undefined)[]]>([
    ['a flow was submitted', {}, ['now']],
    ['it waits to start', { status: { state: 'Pending' } }, ['now']],
    [
      'a suspended one was resumed',
      { spec: byStep, status: started([], { state: 'Suspended' }) },
      ['now'],
    ],
    ['its retry was asked for', { spec: byStep, status: failed, retry: 'x' }, ['now']],
    ['not while it is suspended', { spec: { suspend: true } }, [undefined]],
    ['not when a later step starts of itself', { spec: byStep, status: started([]) }, [undefined]],
  ])('%s', async (_, fields, expected) => {
    const cluster = new ModelCluster(flow([step('a', { jobTemplateRef: 't' })], fields));
    cluster.put('JobTemplate', storedTemplate('t'));
    const asked: (string | undefined)[] = [];
    const noting: Reader = {
      list: cluster.list.bind(cluster),
      listByOwners: () => Promise.resolve([]),
      get: (...[kind, name, , asOf]: Parameters<Reader['get']>) => {
        if (kind.kind === 'JobTemplate') asked.push(asOf);
        return cluster.get(kind, name);
      },
      listByOwner: () => Promise.resolve([]),
    };
    await observe(cluster.key, noting);
    expect(asked).toEqual(expected);
  });
});

it('looks for the template of a step that one proves to be startable whose dependency is gone', async () => {
  const list = [
    step('a'),
    step('b', { after: ['a'] }),
    step('c', { jobTemplateRef: 't1', after: ['a'] }),
  ];
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const cluster = new ModelCluster(flow(list, { spec, status: started([record('a', 'Running')]) }));
  cluster.put('Job', {
    ...storedJob('etl-b'),
    metadata: { ...storedJob('etl-b').metadata, labels: { [labels.step]: 'b' } },
  });
  cluster.put('JobTemplate', storedTemplate('t1'));
  const seen = await observe(cluster.key, cluster);
  expect(seen?.confirmedMissing).toEqual(['etl-a']);
  expect(Object.keys(seen?.templates ?? {})).toEqual(['t1']);
});

it('looks for the template of a step that the record alone proves to be startable', async () => {
  const list = [
    step('a'),
    step('b', { after: ['a'] }),
    step('c', { jobTemplateRef: 't1', after: ['a'] }),
  ];
  const status = started([record('a', 'Running'), record('b', 'Pending')]);
  const cluster = new ModelCluster(
    flow(list, { spec: { templatePolicy: 'ResolveAtStep' }, status }),
  );
  cluster.put('JobTemplate', storedTemplate('t1'));
  const seen = await observe(cluster.key, cluster);
  expect(seen?.confirmedMissing).toEqual(['etl-a', 'etl-b']);
  expect(Object.keys(seen?.templates ?? {})).toEqual(['t1']);
});

it('seeks the template of a step whose dependency has just succeeded at a later attempt, known by its name', async () => {
  const flows = [
    step('a', { retryPolicy: { limit: 1 } }),
    step('b', { after: ['a'], jobTemplateRef: 't' }),
  ];
  const status = started([record('a', 'Running', { attempt: 1 }), record('b', 'Waiting')]);
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const cluster = new ModelCluster(flow(flows, { spec, status }));
  cluster.put('JobTemplate', storedTemplate('t'));
  const job = storedJob('etl-a-r1');
  cluster.put('Job', { ...job, metadata: { ...job.metadata, labels: {} } });
  expect(Object.keys((await seen(cluster)).templates)).toEqual(['t']);
});

it('seeks the template of a step whose dependency has succeeded at an attempt that is not on record', async () => {
  const flows = [
    step('a', { retryPolicy: { limit: 1 } }),
    step('b', { after: ['a'], jobTemplateRef: 't' }),
  ];
  const status = started([record('a', 'Running'), record('b', 'Waiting')]);
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const cluster = new ModelCluster(flow(flows, { spec, status }));
  cluster.put('JobTemplate', storedTemplate('t'));
  const failed = { conditions: [{ type: 'Failed', status: 'True' }] };
  cluster.put('Job', { ...storedJob('etl-a'), status: failed });
  cluster.put('Job', storedJob('etl-a-r1'));
  expect(Object.keys((await seen(cluster)).templates)).toEqual(['t']);
});

describe('the template of a step with ResolveAtStep that waits for two others, of which one succeeded', () => {
  const flows = [step('a'), step('b'), step('c', { after: ['a', 'b'], jobTemplateRef: 't' })];
  const entries = [record('a', 'Succeed'), record('b', 'Running'), record('c', 'Waiting')];
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const met = { type: 'SuccessCriteriaMet', status: 'True' };
  const other = [
    { type: 'Suspended', status: 'True' },
    { type: 'Complete', status: 'False' },
  ];

  it.each([
    ['is not sought while the other one runs', other, []],
    ['is sought when the other one is about to succeed', [met], ['t']],
  ])('%s', async (_, conditions, sought) => {
    const cluster = new ModelCluster(flow(flows, { spec, status: started(entries) }));
    cluster.put('JobTemplate', storedTemplate('t'));
    const stored = storedJob('etl-b');
    const own = { ...stored.metadata, labels: { [labels.step]: 'b' } };
    cluster.put('Job', { ...stored, metadata: own, status: { conditions } });
    expect(Object.keys((await seen(cluster)).templates)).toEqual(sought);
  });
});

describe('the template of a step with ResolveAtStep whose attempt is on record as running', () => {
  const flows = [step('a', { retryPolicy: { limit: 1 }, jobTemplateRef: 't' })];
  const status = started([record('a', 'Running')]);
  const spec = { templatePolicy: 'ResolveAtStep' } as const;
  const failed = { conditions: [{ type: 'Failed', status: 'True' }] };

  it.each<readonly [string, KubeObject | undefined, readonly string[]]>([
    ['is sought when the Job failed: the next one may start', failedAs(failed), ['t']],
    ['is sought when the Job is gone', undefined, ['t']],
    ['is not sought while the Job runs', failedAs({ active: 1 }), []],
  ])('%s', async (_, stored, sought) => {
    const cluster = new ModelCluster(flow(flows, { spec, status }));
    cluster.put('JobTemplate', storedTemplate('t'));
    cluster.put('Job', { ...storedJob('etl-0'), status: {} });
    if (stored !== undefined) cluster.put('Job', stored);
    expect(Object.keys((await seen(cluster)).templates)).toEqual(sought);
  });

  function failedAs(jobStatus: JsonObject): KubeObject {
    return { ...storedJob('etl-a'), status: jobStatus };
  }
});

describe('templates and hashes', () => {
  it('reads uid, generation and hash of a template; null for a missing one', async () => {
    const cluster = new ModelCluster(
      flow([step('a', { jobTemplateRef: 'there' }), step('b', { jobTemplateRef: 'gone' })]),
    );
    cluster.put('JobTemplate', storedTemplate('there'));
    expect((await seen(cluster)).templates).toEqual({
      there: {
        name: 'there',
        uid: 'uid-there',
        generation: 3,
        hash: contentHash(busybox),
        jobTemplate: busybox,
        bytes: JSON.stringify(busybox).length,
        seal: expect.stringMatching(/^[-_A-Za-z0-9]{43}$/) as string,
      },
      gone: null,
    });
  });

  it('measures spec and templates before the start only, when the flow can still be refused', async () => {
    const referring = [step('a'), step('b', { after: ['a'], jobTemplateRef: 'there' })];
    const sizesOf = async (fields: FlowFields) => {
      const cluster = new ModelCluster(flow(referring, fields));
      cluster.put('JobTemplate', storedTemplate('there'));
      const { specBytes, templates } = await seen(cluster);
      return [specBytes, templates['there']?.bytes];
    };
    const spec = JSON.stringify({ flows: referring }).length;
    expect(await sizesOf({})).toEqual([spec, JSON.stringify(busybox).length]);
    const later = { status: started([record('a', 'Running')]) };
    for (const fields of [later, { deletionTimestamp: at(1) }]) {
      expect(await sizesOf(fields)).toEqual([undefined, undefined]);
    }
  });

  it('measures the pins as well when a retry is asked for', async () => {
    const referring = [
      step('a', { jobTemplateRef: 'there' }),
      step('b', { jobTemplateRef: 'kept' }),
    ];
    const pinned = (name: string) => {
      const pin = { ...template(name), submitter: 'ann' };
      return { ...pin, seal: sealOfProcess.of(flowUid, pin) };
    };
    const status = started([record('a', 'Failed'), record('b', 'Succeed')], {
      state: 'Failed',
      pinnedTemplates: [pinned('there'), pinned('kept')],
    });
    const cluster = new ModelCluster(flow(referring, { status, retry: 'again' }));
    cluster.put('JobTemplate', storedTemplate('there'));
    const bytes = JSON.stringify(busybox).length + '"ann"'.length;
    const { specBytes, pinBytes } = await seen(cluster);
    expect(specBytes).toBe(JSON.stringify({ flows: referring }).length);
    expect(pinBytes).toEqual({ there: bytes, kept: bytes });
  });

  it('hashes the frozen part of the spec before the start and after a change, not otherwise', async () => {
    const hashOf = async (fields: FlowFields) =>
      (await seen(new ModelCluster(flow(steps, fields)))).flowsHash;
    const hash = frozenHash(flow(steps).spec);
    expect(await hashOf({})).toBe(hash);
    expect(await hashOf({ status: started([]) })).toBeUndefined();
    expect(await hashOf({ status: started([]), generation: 2 })).toBe(hash);
    const since = { reason: 'x', message: '', lastTransitionTime: at(0) };
    const refused = { type: 'Accepted', status: 'False', ...since } as const;
    const others = ['Progressing', 'Failed'].map((type, index) => {
      return { type, status: index === 0 ? 'True' : 'False', ...since } as const;
    });
    for (const conditions of [[refused], [...others, refused], [refused, ...others]]) {
      expect(await hashOf({ status: started([], { conditions }) })).toBe(hash);
    }
    const accepted = { ...refused, status: 'True' } as const;
    for (const conditions of [others, [...others, accepted], [...others].reverse()]) {
      expect(await hashOf({ status: started([], { conditions }) })).toBeUndefined();
    }
  });

  it('hashes it for a retry: a change after the end was noted without a look', async () => {
    const status = started([record('a', 'Failed')], { state: 'Failed' });
    const { flowsHash } = await seen(new ModelCluster(flow(steps, { status, retry: 'again' })));
    expect(flowsHash).toBe(frozenHash(flow(steps).spec));
  });
});
