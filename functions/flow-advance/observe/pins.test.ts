import { expect, it } from 'vitest';
import type { PinnedTemplate } from '#shared/api/job-flow-status.ts';
import { asUid } from '#shared/domain/objects.ts';
import { observe } from '../observe.ts';
import { flow, flowUid, record, started, step, template } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';
import { ModelCluster } from '../testing/model-cluster.ts';
import { storedTemplate } from '../testing/stored.ts';
import { createPinSeal } from './pin-seal.ts';

const key = Buffer.alloc(32, 1);
const other = Buffer.alloc(32, 2);
const seal = createPinSeal(() => [key]);
const pinned = { ...template('t'), submitter: '{"username":"ann"}' };
const sealed: PinnedTemplate = { ...pinned, seal: seal.of(flowUid, pinned) };
const evil = { template: { spec: { containers: [{ name: 'main', image: 'evil' }] } } };

it.each<[string, Partial<PinnedTemplate>]>([
  ['its name', { name: 'u' }],
  ['its uid', { uid: 'other' }],
  ['its generation', { generation: 9 }],
  ['its hash', { hash: 'other' }],
  ['its submitter', { submitter: '{"username":"admin"}' }],
  ['its content', { jobTemplate: evil }],
  ['its seal', { seal: 'A'.repeat(43) }],
  ['its seal, which is no such text', { seal: '?' }],
])('a pin is not proven after a change of %s', (_, change) => {
  expect(seal.holds(flowUid, sealed)).toBe(true);
  expect(seal.holds(flowUid, { ...sealed, ...change })).toBe(false);
});

it('a pin is proven for its flow only, and under each key of now', () => {
  expect(seal.holds(asUid('another-flow'), sealed)).toBe(false);
  expect(createPinSeal(() => [other, key]).holds(flowUid, sealed)).toBe(true);
  expect(createPinSeal(() => [other]).holds(flowUid, sealed)).toBe(false);
});

const look = async (
  pin: PinnedTemplate,
  stored: Parameters<ModelCluster['put']>[1] | undefined,
) => {
  const status = started([record('a', 'Waiting')], { pinnedTemplates: [pin] });
  const cluster = new ModelCluster(flow([step('a', { jobTemplateRef: 't' })], { status }));
  if (stored !== undefined) cluster.put('JobTemplate', stored);
  const snapshot = await observe(cluster.key, cluster, { seal });
  if (snapshot === undefined) throw new Error('the flow is not seen');
  return { cluster, snapshot, result: decided(snapshot) };
};

it('runs the JobTemplate as it is now in place of a pin that is not proven, and says so once', async () => {
  const { snapshot, result } = await look({ ...sealed, jobTemplate: evil }, storedTemplate('t'));
  expect(snapshot.replacedPins).toEqual([{ name: 't', generation: 3 }]);
  expect(snapshot.specBytes).toBeGreaterThan(0);
  expect(snapshot.templates['t']?.bytes).toBeGreaterThan(0);
  expect(JSON.stringify(result.created('etl-a'))).not.toContain('evil');
  const [pin] = result.status.pinnedTemplates ?? [];
  expect(pin === undefined ? false : seal.holds(flowUid, pin)).toBe(true);
  expect(JSON.stringify(result.decision.plan)).toContain('PinReplaced');
});

it('runs nothing in place of a forged pin whose JobTemplate does not exist', async () => {
  const { snapshot, result } = await look({ ...sealed, jobTemplate: evil }, undefined);
  expect(snapshot.replacedPins).toEqual([{ name: 't' }]);
  expect(result.creates).toEqual([]);
  expect(result.step('a').reason).toBe('JobTemplateNotFound');
});

it('reads no template again whose pin is proven', async () => {
  const { cluster, snapshot } = await look(sealed, storedTemplate('t'));
  expect(cluster.reads).not.toContain('get JobTemplate t');
  expect(snapshot.replacedPins).toBeUndefined();
  expect(snapshot.specBytes).toBeUndefined();
});
