import { expect, it } from 'vitest';
import { queuedKinds } from '#shared/api/work/queued-kinds.ts';
import { asResourceVersion, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { type ObjectFields, ownedBy } from '#shared/domain/testing/objects.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import { viewReader } from '#shared/kube/view-reader.ts';
import { defaultRules } from '../queue-settings.ts';
import { admitted, queuedFlow, workloadOf } from '../testing/queued.ts';
import { workloadName } from '../workload-name.ts';
import { ancestorOf } from './ancestor.ts';

const running = { suspend: false };
const unlabelled = (name: string, owner?: KubeObject, fields: ObjectFields = {}) =>
  queuedFlow({ name, ...fields, metadata: { ...(owner && ownedBy(owner)), labels: {} } });
const outer = queuedFlow({ name: 'outer' });
const middle = unlabelled('middle', outer);
const inner = unlabelled('inner', middle, { spec: running });
const jobSet = {
  ...queuedFlow({ name: 'training' }),
  ...{ apiVersion: 'jobset.x-k8s.io/v1alpha2', kind: 'JobSet' },
};

/** With the name that Kueue and Millrace give. */
function workloadFor({ apiVersion, kind, metadata }: KubeObject, more: object = {}) {
  const [group = ''] = apiVersion.split('/');
  const name = workloadName({ group, kind, name: metadata.name, uid: metadata.uid });
  return workloadOf(outer, { ...admitted, ...more }, {}, { name });
}

/** Complete views of Millrace's kinds and of Workloads. The API server has the others. */
function readerOver(
  objects: readonly KubeObject[],
  workloads: readonly KubeObject[] = [],
  others: readonly KubeObject[] = [],
) {
  const asked: string[] = [];
  const view = (of: readonly KubeObject[]) => {
    const made = new ObjectView();
    made.replace(of, asResourceVersion('100'));
    return made;
  };
  const none = () => Promise.resolve([]);
  const reader = viewReader(
    {
      of: (resource) => {
        if (resource === resources.Workload) return view(workloads);
        const ofKind = objects.filter(({ kind }) => kind === resource.kind);
        return queuedKinds.some((each) => each.resource === resource) ? view(ofKind) : undefined;
      },
    },
    {
      get: async ({ kind }, { name }) => {
        asked.push(`${kind} ${name}`);
        return others.find((each) => each.kind === kind && each.metadata.name === name);
      },
      ...{ list: none, listByOwner: none, listByOwners: none },
    },
  );
  return { reader, asked };
}

it('the outermost owner with the label of a queue is found in the views, and its admission too', async () => {
  const { reader, asked } = readerOver([outer, middle], [workloadFor(outer)]);
  expect(await ancestorOf(inner, reader, defaultRules)).toEqual({
    ...{ kind: 'managed', owner: 'JobFlow outer', isAdmitted: true },
  });
  expect(asked).toEqual([]);
});

it.each([
  ['is suspended', { spec: { suspend: true } }],
  ['has ended', { spec: running, status: { state: 'Succeed' } }],
])('the Workload of an owner is not read where its child %s', async (_, fields) => {
  const { reader, asked } = readerOver([outer, middle]);
  const job = { ...inner, ...fields };
  expect(await ancestorOf(job, reader, defaultRules)).toEqual({
    ...{ kind: 'managed', owner: 'JobFlow outer' },
  });
  expect(asked).toEqual([]);
});

it('an owner of the same name with another uid is no ancestor', async () => {
  const other = queuedFlow({ name: 'outer', uid: 'another', metadata: { labels: {} } });
  const { reader } = readerOver([other, middle]);
  expect(await ancestorOf(inner, reader, defaultRules)).toBeUndefined();
});

it.each([
  ['is admitted', [workloadFor(jobSet)], true],
  ['has a Workload that is finished', [workloadFor(jobSet, { Finished: 'x' })], false],
  ['has no Workload', [], false],
])('a JobSet in a queue is an ancestor, and %s', async (_, workloads, isAdmitted) => {
  const { reader, asked } = readerOver([], workloads, [jobSet]);
  const job = unlabelled('etl', jobSet, { spec: running });
  expect(await ancestorOf(job, reader, defaultRules)).toEqual({
    ...{ kind: 'managed', owner: 'JobSet training', isAdmitted },
  });
  expect(asked).toContain('JobSet training');
});

it('an owner is managed by a Workload that was made before it', async () => {
  const labels = { ...jobSet.metadata.labels, 'kueue.x-k8s.io/prebuilt-workload-name': 'made' };
  const prebuilt = { ...jobSet, metadata: { ...jobSet.metadata, labels } };
  const { reader } = readerOver(
    [],
    [workloadOf(outer, admitted, {}, { name: 'made' })],
    [prebuilt],
  );
  const job = unlabelled('etl', prebuilt, { spec: running });
  expect(await ancestorOf(job, reader, defaultRules)).toMatchObject({ isAdmitted: true });
});

it('an owner without a queue is an ancestor where Kueue manages such objects too', async () => {
  const free = { ...jobSet, metadata: { ...jobSet.metadata, labels: {} } };
  const job = unlabelled('etl', free);
  const { reader } = readerOver([], [], [free]);
  expect(await ancestorOf(job, reader, defaultRules)).toBeUndefined();
  const rules = { ...defaultRules, managesUnlabelled: true };
  expect(await ancestorOf(job, reader, rules)).toEqual({
    kind: 'managed',
    owner: 'JobSet training',
  });
});

it('an owner of a kind that Kueue does not manage is not read', async () => {
  const { reader, asked } = readerOver([], [], [jobSet]);
  const rules = { ...defaultRules, frameworks: new Set(['Job.v1.batch']) };
  expect(await ancestorOf(unlabelled('etl', jobSet), reader, rules)).toBeUndefined();
  expect(asked).toEqual([]);
});

it('owners that form a circle are reported as an endless chain', async () => {
  const circle = { ...outer, metadata: { ...outer.metadata, ...ownedBy(middle) } };
  const { reader } = readerOver([circle, middle]);
  expect(await ancestorOf(inner, reader, defaultRules)).toEqual({ kind: 'endless' });
});
