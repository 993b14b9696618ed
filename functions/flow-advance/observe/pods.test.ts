import { describe, expect, it } from 'vitest';
import { labels } from '#shared/domain/labels.ts';
import { MillraceError } from '#shared/domain/errors.ts';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { at, flow, record, started, step, t0 } from '../testing/builders.ts';
import { ModelCluster } from '../testing/model-cluster.ts';
import { seen, storedJob } from '../testing/stored.ts';

const steps = [step('a'), step('b', { after: ['a'] })];

describe('the Pods of a Job', () => {
  const child = (status: object, fields: object = {}): KubeObject => {
    const job = storedJob('etl-a');
    return { ...job, spec: {}, status: { startTime: at(1), ...status }, ...fields };
  };
  const podOf = (name: string, status: object, job = 'uid-etl-a'): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      uid: asUid(`uid-${name}`),
      resourceVersion: asResourceVersion('1'),
      ownerReferences: [
        { apiVersion: 'batch/v1', kind: 'Job', name: 'etl-a', uid: asUid(job), controller: true },
      ],
    },
    status,
  });
  const failedJob = { failed: 1, conditions: [{ type: 'Failed', status: 'True' }] };
  const over = (recorded: 'Pending' | 'Running' | 'Failed', job: KubeObject) => {
    const status = started([record('a', recorded)]);
    const cluster = new ModelCluster(flow(steps, { status }));
    cluster.put('Job', job);
    return cluster;
  };
  const podReads = ({ reads }: ModelCluster) => reads.filter((read) => read === 'list Pod').length;

  it.each([
    ['is not on record as running yet', over('Pending', child({ active: 1 }))],
    ['is ready', over('Running', child({ active: 1, ready: 1 }))],
    ['is suspended', over('Running', child({}, { spec: { suspend: true } }))],
    [
      'has succeeded',
      over('Running', child({ conditions: [{ type: 'Complete', status: 'True' }] })),
    ],
    ['has failed, and that is on record', over('Failed', child(failedJob))],
    [
      'says that it has not failed',
      over('Pending', child({ conditions: [{ type: 'Failed', status: 'False' }] })),
    ],
    [
      'is being deleted',
      over(
        'Running',
        child(
          { active: 1 },
          { metadata: { ...storedJob('etl-a').metadata, deletionTimestamp: at(4) } },
        ),
      ),
    ],
  ])('are not read when the Job %s', async (_, cluster) => {
    const { jobs } = await seen(cluster);
    expect(jobs[0]).not.toHaveProperty('pods');
    expect(podReads(cluster)).toBe(0);
  });

  it('are read once when Jobs on record as running are not ready: the problem that lasts longest counts', async () => {
    const cluster = over('Running', child({ active: 2, ready: 1 }));
    const unschedulable = (seconds: number) => ({
      conditions: [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'Unschedulable',
          message: 'no node',
          lastTransitionTime: at(seconds),
        },
      ],
    });
    cluster.put('Pod', podOf('late', unschedulable(9)));
    cluster.put('Pod', podOf('early', unschedulable(3)));
    cluster.put('Pod', podOf('foreign', unschedulable(1), 'uid-of-another-job'));
    const { jobs } = await seen(cluster);
    expect(jobs[0]?.pods).toEqual({
      active: 2,
      failed: 0,
      trouble: { pod: 'early', reason: 'Unschedulable', message: 'no node', since: at(3) },
    });
    expect(podReads(cluster)).toBe(1);
  });

  it('have the problem of the same one of them each time, when several began at once', async () => {
    const cluster = over('Running', child({ active: 3 }));
    const condition = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' };
    for (const name of ['b', 'a', 'c']) {
      cluster.put('Pod', podOf(name, { conditions: [{ ...condition, message: 'no node' }] }));
    }
    const { jobs } = await seen(cluster);
    expect(jobs[0]?.pods?.trouble?.pod).toBe('a');
  });

  it('are read when the Job has none, so that the flow can report it', async () => {
    const { jobs } = await seen(over('Running', child({})));
    expect(jobs[0]?.pods).toEqual({ active: 0, failed: 0 });
  });

  it.each(['Pending', 'Running'] as const)(
    'are read before a failure is recorded, when %s was: the last failure counts',
    async (recorded) => {
      const cluster = over(recorded, child(failedJob));
      const exited = (exitCode: number, seconds: number) => ({
        phase: 'Failed',
        containerStatuses: [
          { name: 'main', state: { terminated: { exitCode, finishedAt: at(seconds) } } },
        ],
      });
      cluster.put('Pod', podOf('z-first', exited(1, 2)));
      cluster.put('Pod', podOf('m-second', exited(2, 3)));
      cluster.put('Pod', podOf('a-last', exited(3, 5)));
      const { jobs } = await seen(cluster);
      expect(jobs[0]?.pods).toMatchObject({
        failed: 1,
        failure: { pod: 'a-last', message: 'container main exited 3' },
      });
    },
  );

  describe('of which there are none', () => {
    const nowMs = t0 + 15_000;
    const refusal = (job: string) =>
      ({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: {
          name: `${job}.1`,
          uid: asUid(`uid-of-event-${job}`),
          resourceVersion: asResourceVersion('1'),
        },
        involvedObject: { uid: `uid-${job}` },
        ...{ reason: 'FailedCreate', message: `Error creating: ${job} may not` },
        lastTimestamp: at(3),
      }) as KubeObject;
    const eventReads = ({ reads }: ModelCluster) =>
      reads.filter((read) => read.startsWith('list Event'));

    it('are explained by the Events of the Job, once it has had none for ten seconds', async () => {
      const cluster = over('Running', child({}));
      cluster.put('Event', refusal('etl-a'));
      cluster.put('Event', refusal('etl-b'));
      expect((await seen(cluster, t0 + 10_000)).jobs[0]?.pods).not.toHaveProperty('events');
      expect(eventReads(cluster)).toEqual([]);
      const { jobs } = await seen(cluster, nowMs);
      expect(jobs[0]?.pods?.events).toEqual({ refusal: 'etl-a may not' });
      expect(eventReads(cluster)).toEqual(['list Event about uid-etl-a']);
    });

    it('cost five reads of Events at most, for Jobs first of which nothing is on record', async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
      const status = started(
        names.map((name) => ({
          ...record(name, 'Running'),
          jobName: `etl-${name}`,
          ...(name < 'c' ? { reason: 'NoPod', message: 'x' } : {}),
        })),
      );
      const cluster = new ModelCluster(
        flow(
          names.map((name) => step(name)),
          { status },
        ),
      );
      for (const name of names) {
        const stored = storedJob(`etl-${name}`);
        const labelled = { ...stored.metadata.labels, [labels.step]: name };
        const metadata = { ...stored.metadata, labels: labelled };
        cluster.put('Job', { ...child({}), metadata });
      }
      await seen(cluster, t0 + 11_500);
      expect(eventReads(cluster)).toEqual(
        ['c', 'd', 'e', 'f', 'g'].map((name) => `list Event about uid-etl-${name}`),
      );
    });

    it('stay unexplained where the Events may not be read', async () => {
      const cluster = over('Running', child({}));
      const fields = { verb: 'list', path: '/e', status: 403, reason: 'Forbidden', detail: 'no' };
      cluster.eventsAbout = () => Promise.reject(new MillraceError('MR_API_FORBIDDEN', fields));
      expect((await seen(cluster, nowMs)).jobs[0]?.pods).toEqual({
        active: 0,
        failed: 0,
        events: {},
      });
    });
  });

  it('are not needed: a Role without them costs the explanation, not the flow', async () => {
    const cluster = over('Running', child({ active: 1 }));
    const fields = { verb: 'list', path: '/pods', status: 403, reason: 'Forbidden', detail: 'no' };
    cluster.listByOwners = () => Promise.reject(new MillraceError('MR_API_FORBIDDEN', fields));
    const { jobs } = await seen(cluster);
    expect(jobs[0]).toMatchObject({ name: 'etl-a' });
    expect(jobs[0]).not.toHaveProperty('pods');
  });

  it('are waited for while the server does not answer', async () => {
    const cluster = over('Running', child({ active: 1 }));
    const fields = { verb: 'list', path: '/pods', detail: 'cut off' };
    cluster.listByOwners = () => Promise.reject(new MillraceError('MR_API_UNREACHABLE', fields));
    await expect(seen(cluster)).rejects.toMatchObject({ code: 'MR_API_UNREACHABLE' });
  });
});
