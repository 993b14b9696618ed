import { expect, it } from 'vitest';
import { queuedKinds } from '#shared/api/work/queued-kinds.ts';
import { asResourceVersion, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { ownedBy } from '#shared/domain/testing/objects.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import { viewReader } from '#shared/kube/view-reader.ts';
import { admitted, queuedFlow, workloadOf } from '../testing/queued.ts';
import { ancestorOf } from './ancestor.ts';

const outer = queuedFlow({ name: 'outer' });
const middle = queuedFlow({ name: 'middle', metadata: { ...ownedBy(outer), labels: {} } });
const running = { suspend: false };
const inner = queuedFlow({ name: 'inner', metadata: ownedBy(middle), spec: running });

/** Over complete views of what waits, and of Workloads unless there is none of those. */
function readerOver(flows: readonly KubeObject[], workloads?: readonly KubeObject[]) {
  const asked: string[] = [];
  const view = (objects: readonly KubeObject[]) => {
    const made = new ObjectView();
    made.replace(objects, asResourceVersion('100'));
    return made;
  };
  const ask = (kind: { readonly kind: string }) => {
    asked.push(kind.kind);
    return Promise.resolve([]);
  };
  const reader = viewReader(
    {
      of: (resource) => {
        if (resource === resources.Workload) return workloads && view(workloads);
        return queuedKinds.some((each) => each.resource === resource) ? view(flows) : undefined;
      },
    },
    {
      get: async (kind) => (await ask(kind))[0],
      list: ask,
      listByOwner: ask,
      listByOwners: ask,
    },
  );
  return { reader, asked };
}

it('the outermost owner with the label of a queue is found in the views, and its admission too', async () => {
  const { reader, asked } = readerOver([outer, middle], [workloadOf(outer, admitted)]);
  expect(await ancestorOf(inner, reader)).toEqual({
    ...{ kind: 'JobFlow', name: 'outer', isAdmitted: true },
  });
  expect(asked).toEqual([]);
});

it.each([
  ['is suspended', { spec: { suspend: true } }],
  ['has ended', { spec: running, status: { state: 'Succeed' } }],
])('nobody asks for the Workload of an owner where what it owns %s', async (_, fields) => {
  const { reader, asked } = readerOver([outer, middle]);
  const job = { ...inner, ...fields };
  expect(await ancestorOf(job, reader)).toEqual({ kind: 'JobFlow', name: 'outer' });
  expect(asked).toEqual([]);
});

it('an owner of the same name with another uid is no ancestor', async () => {
  const other = queuedFlow({ name: 'outer', uid: 'another', metadata: { labels: {} } });
  const { reader } = readerOver([other, middle], []);
  expect(await ancestorOf(inner, reader)).toBeUndefined();
});
