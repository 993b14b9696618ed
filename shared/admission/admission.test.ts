import { expect, it } from 'vitest';
import { defineAdmission, reviewBudgetMs, type Admission } from './admission.ts';
import { stampAuthor } from './testing/sample-admissions.ts';

const declared = (changes: Partial<Admission>) => () =>
  defineAdmission({ ...stampAuthor, ...changes });
const reviewing = (resource: { group: string; plural: string }) =>
  declared({ reviews: [{ resource: { version: 'v1', ...resource }, operations: ['CREATE'] }] });

it('is the declaration itself', () => {
  expect(defineAdmission(stampAuthor)).toBe(stampAuthor);
});

it.each([
  { group: '', plural: 'pods' },
  { group: '', plural: 'secrets' },
  { group: 'coordination.k8s.io', plural: 'leases' },
  { group: 'authorization.k8s.io', plural: 'subjectaccessreviews' },
  { group: 'authentication.k8s.io', plural: 'tokenreviews' },
])('never intercepts $plural', (resource) => {
  expect(reviewing(resource)).toThrow('must never be intercepted');
});

it('names each resource that it reviews', () => {
  expect(reviewing({ group: '', plural: '*' })).toThrow('that are not named');
  expect(reviewing({ group: '*', plural: 'jobs' })).toThrow('that are not named');
});

it('answers a second before the API server stops waiting', () => {
  const budgetOf = (timeoutSeconds: number) =>
    reviewBudgetMs({ registration: { failurePolicy: 'Fail', timeoutSeconds } });
  expect([budgetOf(3), budgetOf(10)]).toEqual([2_000, 9_000]);
});

it('lets the API server wait for three to ten seconds', () => {
  const within = (timeoutSeconds: number) =>
    declared({ registration: { failurePolicy: 'Fail', timeoutSeconds } });
  expect(within(2)).toThrow('timeoutSeconds is 2');
  expect(within(2.5)).toThrow('timeoutSeconds is 2.5');
  expect(within(30)).toThrow('timeoutSeconds is 30');
  expect(within(3)()).toMatchObject({ registration: { timeoutSeconds: 3 } });
});

it('all faults of a declaration are reported at once', () => {
  const condition = { name: 'a', expression: 'true' };
  const registration = {
    failurePolicy: 'Fail',
    timeoutSeconds: 3,
    matchConditions: [condition, condition],
  } as const;
  expect(declared({ name: 'A B', reviews: [], registration })).toThrow(
    'the name is no DNS label; it reviews nothing; two matchConditions have one name',
  );
});
