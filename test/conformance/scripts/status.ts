/** The status subresource: the fields that it changes, and those that it ignores. */
import { family } from '../harness/script.ts';
import type { Manifest } from '../harness/session.ts';
import { pod, restingJob } from './samples.ts';

const sub = { sub: 'status' };

export const statusScripts = family('status', {
  'only the status is written': async (s) => {
    const { body } = await s.create(restingJob('a'));
    await s.update({ ...(body as Manifest), spec: { parallelism: 9 }, status: { active: 1 } }, sub);
    await s.read('Job', 'a', sub);
  },
  'generation stays': async (s) => {
    await s.create(restingJob('a'));
    await s.patch('Job', 'a', 'merge', { status: { active: 1 } }, sub);
    await s.patch('Job', 'a', 'merge', { spec: { parallelism: 4 }, status: { active: 2 } }, sub);
  },
  'labels at a status write': async (s) => {
    await s.create(restingJob('a'));
    await s.patch(
      'Job',
      'a',
      'merge',
      { metadata: { labels: { a: 'b' } }, status: { active: 1 } },
      sub,
    );
    await s.create(pod('a'));
    await s.patch(
      'Pod',
      'a',
      'merge',
      { metadata: { labels: { a: 'b' } }, status: { message: 'm' } },
      sub,
    );
  },
  'an old resourceVersion conflicts': async (s) => {
    const { body } = await s.create(restingJob('a'));
    await s.patch('Job', 'a', 'merge', { status: { active: 1 } }, sub);
    await s.update({ ...(body as Manifest), status: { active: 2 } }, sub);
  },
  'a JSON patch of the status': async (s) => {
    await s.create(restingJob('a'));
    await s.patch('Job', 'a', 'json', [{ op: 'add', path: '/status/active', value: 3 }], sub);
    await s.patch('Job', 'a', 'json', [{ op: 'remove', path: '/status/active' }], sub);
  },
  'conditions are merged by their type': async (s) => {
    await s.create(pod('a'));
    const condition = (type: string, status: string) => ({ type, status });
    await s.patch(
      'Pod',
      'a',
      'strategic',
      { status: { conditions: [condition('x.test/A', 'True')] } },
      sub,
    );
    await s.patch(
      'Pod',
      'a',
      'strategic',
      { status: { conditions: [condition('x.test/B', 'False')] } },
      sub,
    );
    await s.patch(
      'Pod',
      'a',
      'strategic',
      { status: { conditions: [{ type: 'x.test/A', $patch: 'delete' }] } },
      sub,
    );
  },
  'a Job has no negative counts': async (s) => {
    await s.create(restingJob('a'));
    await s.patch('Job', 'a', 'merge', { status: { active: -1 } }, sub);
  },
  'a Job does not finish without a cause': async (s) => {
    await s.create(restingJob('a'));
    const complete = {
      type: 'Complete',
      status: 'True',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    await s.patch('Job', 'a', 'merge', { status: { conditions: [complete] } }, sub);
  },
  'status of what does not exist': async (s) => {
    await s.patch('Job', 'none', 'merge', { status: { active: 1 } }, sub);
    await s.read('Job', 'none', sub);
  },
  'a dry run of a status write': async (s) => {
    await s.create(restingJob('a'));
    await s.patch(
      'Job',
      'a',
      'merge',
      { status: { active: 1 } },
      { ...sub, query: { dryRun: 'All' } },
    );
    await s.read('Job', 'a');
  },
  'a finalizer may go by a status write or not': async (s) => {
    await s.create(restingJob('a', {}, { finalizers: ['x.test/a'] }));
    await s.patch('Job', 'a', 'merge', { metadata: { finalizers: null } }, sub);
    await s.patch('Job', 'a', 'merge', { metadata: { finalizers: null } });
  },
});
