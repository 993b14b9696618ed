import { describe, expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import type { AccessQuestion } from './access-review.ts';
import type { Inquiry, Trial } from './inquiry.ts';
import { rememberedMs, rememberingInquiry } from './remembering-inquiry.ts';

const { Job } = resources;
const user = { username: 'ada', groups: ['team'], extra: {} };
const question: AccessQuestion = { user, verb: 'create', resource: Job, namespace: 'ns' };

function job(flow: string, image = 'busybox') {
  const labels = { 'millrace.dev/flow': flow, 'millrace.dev/owner-uid': flow, tier: 'batch' };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: `${flow}-a`, namespace: 'ns', labels },
    spec: { template: { spec: { containers: [{ name: 'main', image }] } } },
  };
}

function counted(answers: { allowed?: boolean; trial?: Trial } = {}) {
  const asked: string[] = [];
  const clock = { nowMs: 0, monotonicMs: () => clock.nowMs };
  const inquiry: Inquiry = {
    reader: {} as Inquiry['reader'],
    resourceOf: () => Promise.resolve(Job),
    access: ({ user: { username } }) => {
      asked.push(`access of ${username}`);
      return Promise.resolve({ allowed: answers.allowed ?? true });
    },
    tryCreate: (_resource, { metadata }) => {
      asked.push(`trial of ${metadata.name}`);
      return Promise.resolve(answers.trial ?? { warnings: [] });
    },
  };
  return { asked, clock, inquiry: rememberingInquiry(inquiry, clock) };
}

describe('admission', () => {
  it('asks once for the rights of a user, and again when the time is over', async () => {
    const { asked, clock, inquiry } = counted();
    await Promise.all([inquiry.access(question), inquiry.access(question)]);
    await inquiry.access(question);
    expect(asked).toEqual(['access of ada']);
    clock.nowMs = rememberedMs;
    await inquiry.access(question);
    expect(asked).toHaveLength(2);
  });

  it.each([
    ['another user', { user: { ...user, username: 'bob' } }],
    ['other groups', { user: { ...user, groups: [] } }],
    ['another verb', { verb: 'delete' }],
    ['another namespace', { namespace: 'other' }],
    ['another name', { name: 'a' }],
  ])('asks for itself about %s', async (_, other) => {
    const { asked, inquiry } = counted();
    await inquiry.access(question);
    await inquiry.access({ ...question, ...other });
    expect(asked).toHaveLength(2);
  });

  it('asks again for a right that was not there', async () => {
    const { asked, inquiry } = counted({ allowed: false });
    await inquiry.access(question);
    expect(await inquiry.access(question)).toEqual({ allowed: false });
    expect(asked).toHaveLength(2);
  });

  it('tries Jobs that differ by the names in them alone once', async () => {
    const { asked, inquiry } = counted();
    await inquiry.tryCreate(Job, job('one'));
    await inquiry.tryCreate(Job, job('two'));
    expect(asked).toEqual(['trial of one-a']);
    await inquiry.tryCreate(Job, job('three', 'nginx'));
    const { metadata, ...rest } = job('four');
    await inquiry.tryCreate(Job, { ...rest, metadata: { ...metadata, namespace: 'other' } });
    const labels = { ...metadata.labels, tier: 'online' };
    await inquiry.tryCreate(Job, { ...rest, metadata: { ...metadata, labels } });
    expect(asked).toHaveLength(4);
  });

  it.each([
    ['refused', { warnings: [], rejection: { code: 'Invalid', message: 'no' } }],
    ['taken', { warnings: [], isTaken: true as const }],
  ])('tries again what was %s', async (_, trial) => {
    const { asked, inquiry } = counted({ trial: trial as Trial });
    await inquiry.tryCreate(Job, job('one'));
    expect(await inquiry.tryCreate(Job, job('one'))).toEqual(trial);
    expect(asked).toHaveLength(2);
  });
});
