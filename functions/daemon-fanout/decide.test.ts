import { describe, expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { asUid } from '#shared/domain/objects.ts';
import { withWarnings } from './snapshot.ts';
import {
  at,
  t0,
  cordoned,
  daemonJob,
  job,
  node,
  ownerName,
  snapshot,
  started,
} from './testing/builders.ts';
import { after, decided, withRetry } from './testing/decided.ts';
import { running, onRecord } from './testing/running.ts';

describe('a DaemonJob without a status', () => {
  it('gives every node its Job, by name, in stages that grow', () => {
    const nodes = ['d', 'b', 'a', 'c', 'e', 'f', 'g', 'h'].sort();
    const result = decided(snapshot(daemonJob(), { nodes }));
    expect(result.creates).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(result.stages).toEqual([1, 2, 4, 1]);
    expect(result.status).toMatchObject({ state: 'Running', desired: 8, active: 8, waiting: 0 });
    expect(result.ledger('a')).toBe('Started');
    expect(result.events).toEqual(['Started']);
  });

  it('pins each Job to its node, past what the template asks of affinity, and never restarts', () => {
    const affinity = {
      nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
      podAntiAffinity: {},
    };
    const spec = {
      template: {
        spec: { restartPolicy: 'OnFailure', affinity, containers: [{ name: 'main' }] },
      },
      globalParams: { env: [{ name: 'FOO', value: 'bar' }], labels: { key1: 'value1' } },
    };
    const [created] = decided(snapshot(daemonJob({ spec }), { nodes: ['a.b'] })).created;
    const matchFields = [{ key: 'metadata.name', operator: 'In', values: ['a.b'] }];
    expect(created?.spec).toMatchObject({
      backoffLimit: 0,
      template: {
        metadata: { labels: { key1: 'value1', [labels.nodeUid]: 'uid-of-a.b' } },
        spec: {
          restartPolicy: 'Never',
          containers: [{ name: 'main', env: [{ name: 'FOO', value: 'bar' }] }],
          affinity: {
            podAntiAffinity: {},
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [{ matchFields }],
              },
            },
          },
        },
      },
    });
    expect(created?.metadata.name).toMatch(/^wipe-a-b-[0-9a-f]{8}$/);
    expect(created?.metadata.annotations?.['millrace.dev/node-name']).toBe('a.b');
  });

  it('tolerates everything where all nodes are meant', () => {
    const toleration = { key: 'a', operator: 'Exists' };
    const template = { spec: { tolerations: [toleration], containers: [{ name: 'main' }] } };
    const owner = daemonJob({ spec: { eligibility: 'All', template } });
    const [created] = decided(snapshot(owner, { nodes: ['a'] })).created;
    expect(created?.spec).toMatchObject({
      template: { spec: { tolerations: [toleration, { operator: 'Exists' }] } },
    });
  });

  it('adopts what an earlier pass created, and writes it down', () => {
    const result = decided(snapshot(daemonJob(), { nodes: ['a', 'b'], jobs: running('a') }), 5);
    expect(result.creates).toEqual(['b']);
    expect(result.status).toMatchObject({ active: 2, startTime: at(0) });
  });
});

it('starts on a thousand nodes in one decision, and on the next thousand at once', () => {
  const nodes = Array.from({ length: 1_500 }, (_, index) => `n${String(index).padStart(4, '0')}`);
  const started = [0, 1_000].map((count) => {
    const jobs = nodes.slice(0, count).map((name) => job(name, 'pending'));
    const { creates, decision } = decided(snapshot(daemonJob(), { nodes, jobs }));
    return { first: creates[0], count: creates.length, again: decision.requeueAtMs === t0 };
  });
  expect(started).toEqual([
    { first: 'n0000', count: 1_000, again: true },
    { first: 'n1000', count: 500, again: false },
  ]);
});

describe('nodes that it leaves out', () => {
  it('are those that are excluded; an unknown name is reported and is no error', () => {
    const owner = daemonJob({ spec: { excludeNodeList: ' b ,,ghost, ' } });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'] }));
    expect(result.creates).toEqual(['a']);
    expect(result.condition('UnknownExcludedNode')).toBe('True/UnknownExcludedNode');
    expect(result.events).toContain('UnknownExcludedNode');
    expect(result.entry('b')).toBeUndefined();
  });

  it('are skipped with the reason while they cannot run the Pod', () => {
    const nodes = ['a', node('b', { skip: cordoned })];
    const result = decided(snapshot(daemonJob(), { nodes }));
    expect(result.creates).toEqual(['a']);
    expect(result.status).toMatchObject({ desired: 1, skipped: 1 });
    expect(result.entry('b')).toMatchObject({ state: 'Skipped', reason: 'Cordoned' });
  });

  it('are not reported when the template does not select them', () => {
    const skip = { reason: 'Unselected', message: 'the template does not select the node' };
    const result = decided(snapshot(daemonJob(), { nodes: ['a', node('b', { skip })] }));
    expect(result.status).toMatchObject({ desired: 1, skipped: 0 });
    expect(result.status.nodes).toBeUndefined();
  });
});

describe('no node that can run it', () => {
  const nodes = [node('a', { skip: cordoned })];

  it('is waited for, and said with the reasons', () => {
    const result = decided(snapshot(daemonJob(), { nodes }));
    expect(result.status).toMatchObject({ state: 'Pending', reason: 'NoEligibleNodes' });
    expect(result.status.message).toBe(
      'the only node cannot run it: 1 Cordoned; it starts with the first one that can run it',
    );
    expect(result.events).toEqual(['NoEligibleNodes']);
    expect(result.again).toBeUndefined();
  });

  it('is the reason why a started one stands still when its machines are gone', () => {
    const owner = daemonJob({ status: started({ gone: 'Started' }) });
    const result = decided(snapshot(owner, { nodes }), 5);
    expect(result.status).toMatchObject({ state: 'Running', reason: 'NoEligibleNodes' });
    expect(result.status.message).toContain('1 Cordoned');
  });

  it('is a success where that was allowed', () => {
    const owner = daemonJob({ spec: { allowEmpty: true } });
    expect(decided(snapshot(owner, { nodes })).status.state).toBe('Succeed');
  });

  it('is a success when what is left has succeeded on machines that are gone', () => {
    const owner = daemonJob({ status: started({ gone: 'Succeeded' }) });
    expect(decided(snapshot(owner, { nodes: [] }), 5).status.state).toBe('Succeed');
  });
});

describe('a node that has run it', () => {
  it('does not run it again when its Job is gone', () => {
    const owner = daemonJob({ status: started({ a: 'Succeeded', b: 'Started' }) });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs: running('b') }), 5);
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Running');
  });

  it('does not run it again after it was cordoned and uncordoned', () => {
    const owner = daemonJob({ status: started({ a: 'Succeeded', b: 'Started' }) });
    const nodes = [node('a', { skip: cordoned }), 'b'];
    const result = decided(snapshot(owner, { nodes, jobs: running('b') }), 5);
    expect(result.status.succeeded ?? 1).toBe(1);
    expect(result.entry('a')).toBeUndefined();
  });

  it('starts it where its create found the Job of another machine of its name, and took it for its own', () => {
    const owner = daemonJob({ status: started({ a: 'Started' }) });
    const jobs = [job('a', 'complete', { machine: 'the-one-before' })];
    const seen = snapshot(owner, { nodes: ['a'], jobs });
    const known = after(seen, decided(seen, 60));
    const next = decided(known, 60);
    expect(next.deletes).toEqual(['wipe-a']);
    expect(decided({ ...after(known, next), jobs: [] }, 61).creates).toEqual(['a']);
  });

  it('waits for the certainty that the machine of an ended Job is gone, and no longer', () => {
    const owner = daemonJob({ status: started({}, { lastUpdateTime: at(35) }) });
    const jobs = [job('a', 'complete', { machine: 'the-one-before', creationTimestamp: at(30) })];
    const seen = snapshot(owner, { nodes: [node('a', { creationTimestamp: at(29) })], jobs });
    expect(decided(seen, 36).deletes).toEqual([]);
    expect(decided(seen, 36).again).toBe(90);
    expect(decided(after(seen, decided(seen, 90)), 90).deletes).toEqual(['wipe-a']);
  });

  it('runs it again as another machine of the same name, when the old Job is gone', () => {
    const status = started({ a: 'Succeeded' }, { state: 'Succeed', completionTime: at(9) });
    const owner = daemonJob({ spec: { completionPolicy: 'Never' }, status });
    const anew = node('a', { uid: asUid('uid-of-another'), creationTimestamp: at(30) });
    const seen = snapshot(owner, { nodes: [anew], jobs: [job('a', 'complete')] });
    const first = decided(seen, 60);
    expect(first.creates).toEqual([]);
    expect(first.deletes).toEqual(['wipe-a']);
    expect(first.entry('a')).toMatchObject({ state: 'Blocked', reason: 'Replacing' });
    const second = decided({ ...after(seen, first), jobs: [] }, 61);
    expect(second.creates).toEqual(['a']);
    expect(second.created[0]?.metadata.labels?.[labels.nodeUid]).toBe('uid-of-another');
  });
});

describe('a failure whose cause is in no entry', () => {
  it('is reported without one', () => {
    const owner = daemonJob({ status: started({ a: 'Failed' }) });
    expect(decided(snapshot(owner, { nodes: ['a'] }), 5).status.message).toBe('failed: a');
  });
});

describe('a name that is taken', () => {
  it('by a Job of another node is a conflict and nothing is created', () => {
    const stranger = { ...job('b', 'running'), name: 'wipe-a' };
    const owner = daemonJob({ status: started({ b: 'Started' }) });
    const result = decided(snapshot(owner, { nodes: ['a', 'b'], jobs: [stranger] }), 5);
    expect(result.creates).toEqual([]);
    expect(result.entry('a')).toMatchObject({ state: 'Blocked', reason: 'NameConflict' });
  });
});

it('records what ran on a machine that is gone although a create was refused', () => {
  const anew = node('a', { uid: asUid('uid-of-another'), creationTimestamp: at(30) });
  const rejections = [{ name: 'wipe-b', code: 'NameConflict' as const, message: 'taken' }];
  const jobs = [job('a', 'complete')];
  const seen = snapshot(daemonJob({ status: started({}) }), {
    nodes: [anew, 'b'],
    jobs,
    rejections,
  });
  const first = decided(seen, 60);
  expect([first.creates, first.deletes]).toEqual([[], []]);
  expect(first.ledger('a')).toBe('Succeeded');
  expect(first.entry('b')).toMatchObject({ state: 'Blocked', reason: 'NameConflict' });
  const second = decided({ ...after(seen, first), rejections: [] }, 60);
  expect(second.deletes).toEqual(['wipe-a']);
  const refused = decided(after(seen, first), 60);
  expect(refused.again).toBeGreaterThan(60);
});

describe('what cannot be run', () => {
  it('is refused with the fault, and judged anew when it is another spec', () => {
    const spec = { completionPolicy: 'Never', ttlSecondsAfterFinished: 5 } as const;
    const seen = snapshot(daemonJob({ spec }), { nodes: ['a'] });
    const result = decided(seen);
    expect(result.status).toMatchObject({ state: 'Failed', reason: 'InvalidSpec' });
    expect(result.condition('Accepted')).toBe('False/InvalidSpec');
    expect(result.events).toEqual(['InvalidSpec', 'Failed']);
    const mended = daemonJob({ generation: 2, status: result.status });
    expect(decided(snapshot(mended, { nodes: ['a'] }), 5).creates).toEqual(['a']);
  });

  it('is refused as a whole when the first Job is invalid', () => {
    const rejections = [{ name: 'wipe-a', code: 'Invalid' as const, message: 'no image' }];
    const result = decided(snapshot(daemonJob(), { nodes: ['a', 'b'], rejections }));
    expect(result.status).toMatchObject({
      state: 'Failed',
      reason: 'InvalidJob',
      message: 'no image',
    });
    expect(result.creates).toEqual([]);
  });

  it('stands still when it was changed after the start', () => {
    const status = started(onRecord('a'), { specHash: 'another' });
    const result = decided(snapshot(daemonJob({ status }), { nodes: ['a', 'b'] }), 5);
    expect(result.creates).toEqual([]);
    expect(result.condition('Accepted')).toBe('False/SpecChanged');
  });

  it('keeps a retry that is asked for while it stands still until it is restored', () => {
    const status = started({ a: 'Failed' }, { state: 'Failed', specHash: 'another' });
    const seen = snapshot(daemonJob({ status, retry: '1' }), { nodes: ['a'] });
    const first = decided(seen, 5);
    expect(first.status.retryNonce).toBeUndefined();
    expect(first.creates).toEqual([]);
    const restored = { ...after(seen, first), specHash: 'another' };
    expect(decided(withRetry(restored, 6), 6).creates).toEqual(['a']);
  });

  it('is reported once with the fields that the cluster does not know', () => {
    const seen = snapshot(daemonJob({ status: started(onRecord('a')) }), {
      nodes: ['a'],
      jobs: running('a'),
    });
    const warning = { name: 'wipe-a', message: 'unknown field "spec.template.spec.imagee"' };
    const result = decided(withWarnings(seen, [warning]), 5);
    expect(result.condition('Accepted')).toBe('True/UnknownField');
    expect(result.events).toEqual(['UnknownField']);
    const again = decided(after(seen, result), 6);
    expect(again.condition('Accepted')).toBe('True/UnknownField');
    expect(again.events).toEqual([]);
  });
});

describe('one that is being deleted', () => {
  it('starts nothing', () => {
    const owner = daemonJob({ deletionTimestamp: at(0) });
    const result = decided(snapshot(owner, { nodes: ['a'] }));
    expect(result.creates).toEqual([]);
    expect(result.status.state).toBe('Terminating');
  });
});

it('names its Jobs by what it is called itself', () => {
  expect(job('a', 'running').name).toBe(`${ownerName}-a`);
});
