/** How a Job finds its Pods: generated selectors, reserved labels, selectors of users. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { busybox, ending, job, restingJob } from './samples.ts';

const reserved = [
  'job-name',
  'batch.kubernetes.io/job-name',
  'controller-uid',
  'batch.kubernetes.io/controller-uid',
];

function labelled(labels: JsonObject): JsonObject {
  return { metadata: { labels }, spec: { restartPolicy: 'Never', containers: [busybox] } };
}

const specs: Readonly<Record<string, JsonObject>> = {
  ...Object.fromEntries(
    reserved.map((label) => [`another ${label}`, { template: labelled({ [label]: 'other' }) }]),
  ),
  'its own name as a label': { template: labelled({ 'job-name': 'a', mine: 'yes' }) },
  'both names as labels': {
    template: labelled({ 'job-name': 'a', 'batch.kubernetes.io/job-name': 'a' }),
  },
  'an empty name as a label': { template: labelled({ 'batch.kubernetes.io/job-name': '' }) },
  'a selector by its name': { selector: { matchLabels: { 'job-name': 'a' } } },
  'a selector by another name': {
    selector: { matchLabels: { 'batch.kubernetes.io/job-name': 'other' } },
  },
  'a selector by another uid': {
    selector: {
      matchLabels: { 'batch.kubernetes.io/controller-uid': '00000000-0000-0000-0000-000000000001' },
    },
  },
  'a selector by a label of its Pods': {
    selector: { matchLabels: { mine: 'yes' } },
    template: labelled({ mine: 'yes' }),
  },
  'a selector by expressions that hold': {
    selector: { matchExpressions: [{ key: 'job-name', operator: 'Exists' }] },
  },
  'a selector by expressions that do not hold': {
    selector: { matchExpressions: [{ key: 'job-name', operator: 'In', values: ['other'] }] },
  },
  'a manual selector': {
    manualSelector: true,
    selector: { matchLabels: { mine: 'yes' } },
    template: labelled({ mine: 'yes' }),
  },
  'a manual selector that is missing': {
    manualSelector: true,
    template: labelled({ mine: 'yes' }),
  },
  'a manual selector by expressions': {
    manualSelector: true,
    selector: { matchExpressions: [{ key: 'mine', operator: 'In', values: ['no'] }] },
    template: labelled({ mine: 'yes' }),
  },
  'a manual selector and reserved labels': {
    manualSelector: true,
    selector: { matchLabels: { 'job-name': 'other' } },
    template: labelled({ 'job-name': 'other', 'controller-uid': 'other' }),
  },
};

const creates = Object.fromEntries(
  Object.entries(specs).map(([what, spec]) => [
    `a Job with ${what}`,
    async (s: Session) => {
      await s.create(restingJob('a', spec));
    },
  ]),
);

const isComplete = (it: Seen | undefined): boolean =>
  (it?.status as { conditions?: readonly { type: string }[] } | undefined)?.conditions?.some(
    ({ type }) => type === 'Complete',
  ) === true;

export const jobSelectorScripts = family('job selectors', {
  ...creates,
  'reserved labels of the Job itself are free': async (s) => {
    const labels = { 'job-name': 'other', 'batch.kubernetes.io/controller-uid': 'other' };
    await s.create(restingJob('a', {}, { labels }));
  },
  'a Job with labels of its own keeps them': async (s) => {
    await s.create(restingJob('a', {}, { labels: { mine: 'yes' } }));
    await s.create(restingJob('b', { template: labelled({ theirs: 'yes' }) }));
    const labels = { mine: 'yes' };
    await s.create(restingJob('c', { template: labelled({ theirs: 'yes' }) }, { labels }));
  },
  'a Job with a manual selector completes': async (s) => {
    const template = ending(1, 0);
    const labels = { mine: 'yes' };
    await s.create(
      job('a', {
        manualSelector: true,
        selector: { matchLabels: labels },
        template: { ...template, metadata: { ...(template['metadata'] as JsonObject), labels } },
      }),
    );
    await s.until('Job', 'a', isComplete);
    const { body } = await s.aside('GET', s.path('Pod'));
    s.note(
      'labels',
      body.items?.map(({ metadata }) => metadata.labels),
    );
  },
});
