import { describe, expect, it } from 'vitest';
import type { Review } from '#shared/domain/admission-decision.ts';
import type { AccessAnswer, AccessQuestion } from '#shared/kube/access-review.ts';
import { mayPlace, placementDenial } from './placement.ts';
import { ann, creation, flow, step, update } from './testing/reviews.ts';

const placed = flow([step('a')], { podSetInfos: [{ name: 'a', nodeSelector: { zone: 'b' } }] });
const plain = flow([step('a')]);

async function asked(review: Review, answer: AccessAnswer = { allowed: true }) {
  const questions: AccessQuestion[] = [];
  const access = (question: AccessQuestion) => {
    questions.push(question);
    return Promise.resolve(answer);
  };
  const inquiry = { access } as unknown as Parameters<typeof mayPlace>[1];
  const given = await mayPlace(review, inquiry, new AbortController().signal);
  return { questions, denial: placementDenial(review, given) };
}

describe('spec.podSetInfos', () => {
  it.each([
    ['that comes', plain, placed],
    ['that is taken back', placed, plain],
  ])(
    '%s is asked about: it may do so who may write the status of Workloads',
    async (_, from, to) => {
      const { questions, denial } = await asked(update(from, to));
      expect(questions).toMatchObject([
        {
          ...{ user: ann, verb: 'patch', subresource: 'status', namespace: 'team-a' },
          resource: { group: 'kueue.x-k8s.io', plural: 'workloads' },
        },
      ]);
      expect(denial).toBeUndefined();
    },
  );

  it('is refused to anybody else, in the words of the authorizer', async () => {
    const { denial } = await asked(update(plain, placed), { allowed: false, reason: 'no role' });
    expect(denial).toEqual({
      ...{ allowed: false, code: 403, reason: 'Forbidden' },
      message:
        'spec.podSetInfos: it is what an admission of Kueue said, and ann may not patch workloads.kueue.x-k8s.io/status in the namespace team-a: no role; leave it as it is',
    });
  });

  it.each([
    ['stays as it is', update(placed, { ...placed, metadata: { name: 'etl', labels: {} } })],
    ['is created with the rest, whose work is judged', creation(placed)],
    ['is not there', update(plain, flow([step('b')]))],
  ])('is not asked about where it %s', async (_, review) => {
    const { questions, denial } = await asked(review, { allowed: false });
    expect([questions, denial]).toEqual([[], undefined]);
  });
});
