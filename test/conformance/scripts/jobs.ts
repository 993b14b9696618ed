/** Jobs: their defaults, permitted changes and ends. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { ending, job, restingJob } from './samples.ts';

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message?: string;
}

interface Status {
  readonly conditions?: readonly Condition[];
  readonly [field: string]: unknown;
}

const isFinished = (it: Seen | undefined): boolean =>
  (it?.status as Status | undefined)?.conditions?.some(
    ({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True',
  ) === true;

/** The final state without timestamps: counts, and conditions in their order. */
function endOf(it: Seen | undefined): unknown {
  const { conditions = [], startTime, completionTime, ...rest } = it?.status as Status;
  return {
    ...rest,
    hasStart: startTime !== undefined,
    hasCompletion: completionTime !== undefined,
    conditions: conditions.map(({ type, status, reason, message = '' }) => [
      type,
      status,
      reason,
      message,
    ]),
  };
}

async function untilFinished(s: Session, name = 'a'): Promise<void> {
  s.note('finished', endOf(await s.until('Job', name, isFinished)));
}

async function reasonsOfEvents(s: Session, count: number): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { body } = await s.aside(
      'GET',
      `${s.path('Event')}?fieldSelector=involvedObject.kind%3DJob`,
    );
    const reasons = (body.items ?? [])
      .map((event) => `${String(event['type'])} ${String(event['reason'])}`)
      .sort();
    if (reasons.length >= count || performance.now() > deadline) {
      s.note('Events', reasons);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const frozen: Readonly<Record<string, JsonObject>> = {
  completions: { completions: 5 },
  selector: { selector: { matchLabels: { a: 'b' } } },
  'the template': { template: { spec: { containers: [{ name: 'main', image: 'other' }] } } },
  completionMode: { completionMode: 'Indexed' },
  managedBy: { managedBy: 'other.test/one' },
  podReplacementPolicy: { podReplacementPolicy: 'Failed' },
  backoffLimitPerIndex: { backoffLimitPerIndex: 1 },
};

const changeable: Readonly<Record<string, JsonObject>> = {
  parallelism: { parallelism: 4 },
  backoffLimit: { backoffLimit: 2 },
  activeDeadlineSeconds: { activeDeadlineSeconds: 100 },
  ttlSecondsAfterFinished: { ttlSecondsAfterFinished: 100 },
  suspend: { suspend: true },
};

const changes = Object.fromEntries(
  [...Object.entries(frozen), ...Object.entries(changeable)].map(([what, spec]) => [
    `${what in frozen ? 'no change' : 'a change'} of ${what}`,
    async (s: Session) => {
      await s.create(restingJob('a'));
      await s.patch('Job', 'a', 'merge', { spec });
    },
  ]),
);

const defaulted: Readonly<Record<string, JsonObject>> = {
  'no counts': {},
  'parallelism only': { parallelism: 3 },
  'completions only': { completions: 3 },
  'both counts': { parallelism: 2, completions: 3 },
  'parallelism of 0': { parallelism: 0 },
  Indexed: { completionMode: 'Indexed', completions: 2 },
  'a backoffLimitPerIndex': { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 1 },
  'a podFailurePolicy': {
    podFailurePolicy: {
      rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }],
    },
  },
  'a successPolicy': {
    completionMode: 'Indexed',
    completions: 2,
    successPolicy: { rules: [{ succeededIndexes: '0' }] },
  },
  'a template with labels': {
    template: {
      metadata: { labels: { mine: 'yes' } },
      spec: { restartPolicy: 'OnFailure', containers: [{ name: 'a', image: 'b:1' }] },
    },
  },
};

const defaults = Object.fromEntries(
  Object.entries(defaulted).map(([what, spec]) => [
    `defaults with ${what}`,
    async (s: Session) => {
      await s.create(restingJob('a', spec));
    },
  ]),
);

export const jobScripts = family('jobs', {
  ...changes,
  ...defaults,
  'a Job completes': async (s) => {
    await s.create(job('a', { template: ending(1, 0) }));
    await untilFinished(s);
    await reasonsOfEvents(s, 2);
  },
  'a Job fails when its backoffLimit is reached': async (s) => {
    await s.create(job('a', { backoffLimit: 0, template: ending(1, 1) }));
    await untilFinished(s);
    await reasonsOfEvents(s, 2);
  },
  'several Pods make one Job': async (s) => {
    await s.create(job('a', { completions: 3, parallelism: 3, template: ending(1, 0) }));
    await untilFinished(s);
  },
  'an indexed Job names its indexes': async (s) => {
    await s.create(
      job('a', {
        completionMode: 'Indexed',
        completions: 3,
        parallelism: 3,
        template: ending(1, 0),
      }),
    );
    await untilFinished(s);
    const { body } = await s.aside('GET', `${s.path('Pod')}?labelSelector=job-name%3Da`);
    const pods = body.items ?? [];
    const indexes = pods.map(
      ({ metadata }) => metadata.labels?.['batch.kubernetes.io/job-completion-index'],
    );
    s.note('indexes', indexes.sort());
    const hosts = pods.map(({ spec }) => spec?.['hostname'] as string);
    s.note('host names', hosts.sort());
  },
  'conditions come in their order': async (s) => {
    const watch = await s.watch('Job', {}, {});
    await s.create(job('a', { template: ending(1, 0) }));
    await s.until('Job', 'a', isFinished);
    watch.end();
    const { body } = await s.aside('GET', s.path('Job', 'a'));
    s.note(
      'conditions',
      (body.status as Status).conditions?.map(({ type, status, reason }) => [type, status, reason]),
    );
  },
  'a deadline ends a Job': async (s) => {
    await s.create(job('a', { activeDeadlineSeconds: 1, template: ending(30, 0) }));
    await untilFinished(s);
  },
  'a finished Job goes after its time to live': async (s) => {
    await s.create(job('a', { ttlSecondsAfterFinished: 1, template: ending(1, 0) }));
    await s.untilGone('Job', 'a');
    await s.read('Job', 'a');
  },
  'a suspended Job starts nothing': async (s) => {
    await s.create(job('a', { suspend: true, template: ending(1, 0) }));
    const it = await s.until(
      'Job',
      'a',
      (seen) => (seen?.status as Status).conditions !== undefined,
    );
    s.note('suspended', endOf(it));
    await s.list('Pod');
    await s.aside('PATCH', s.path('Job', 'a'), {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { suspend: false } },
    });
    await untilFinished(s);
  },
  'a running Job is suspended': async (s) => {
    await s.create(job('a', { template: ending(60, 0) }));
    await s.until('Job', 'a', (it) => (it?.status as Status)['ready'] === 1);
    await s.patch('Job', 'a', 'merge', { spec: { suspend: true } });
    const it = await s.until(
      'Job',
      'a',
      (seen) =>
        (seen?.status as Status)['active'] === undefined &&
        (seen?.status as Status)['terminating'] === 0 &&
        (seen?.status as Status).conditions !== undefined,
    );
    s.note('suspended', endOf(it));
  },
  'a Pod of a Job': async (s) => {
    const { body } = await s.create(job('a', { template: ending(60, 0) }));
    await s.until('Job', 'a', (it) => (it?.status as Status)['active'] === 1);
    const { body: list } = await s.aside('GET', s.path('Pod'));
    const pod = list.items![0]!;
    const { labels, annotations, ownerReferences, finalizers, generateName } = pod.metadata;
    s.note('metadata', { labels, annotations, ownerReferences, finalizers, generateName });
    s.note(
      'owner is the Job',
      (ownerReferences as { uid: string }[])[0]!.uid === body.metadata.uid,
    );
    await s.delete('Job', 'a', { query: { propagationPolicy: 'Background' } });
    await s.untilGone('Pod', pod.metadata.name);
  },
  'foreground deletion of a Job takes its Pods first': async (s) => {
    await s.create(job('a', { template: ending(60, 0) }));
    await s.until('Job', 'a', (it) => (it?.status as Status)['ready'] === 1);
    await s.aside('DELETE', s.path('Job', 'a'), { query: { propagationPolicy: 'Foreground' } });
    await s.untilGone('Job', 'a');
    const { body } = await s.aside('GET', s.path('Pod'));
    s.note('Pods left', body.items?.length);
  },
  'a failure policy ends a Job at once': async (s) => {
    const rules = [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } }];
    await s.create(job('a', { podFailurePolicy: { rules }, template: ending(1, 42) }));
    const it = await s.until('Job', 'a', isFinished);
    const { conditions = [] } = it?.status as Status;
    s.note(
      'conditions',
      conditions.map(({ type, status, reason }) => [type, status, reason]),
    );
  },
  'a finished Job may not start again': async (s) => {
    await s.create(job('a', { template: ending(1, 0) }));
    await s.until('Job', 'a', isFinished);
    await s.aside('PATCH', s.path('Job', 'a'), {
      headers: { 'content-type': 'application/merge-patch+json' },
      body: { spec: { suspend: true } },
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
    const { body } = await s.aside('GET', s.path('Job', 'a'));
    s.note(
      'conditions',
      (body.status as Status).conditions?.map(({ type, status }) => [type, status]),
    );
  },
});
