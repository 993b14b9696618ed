import { expect, it } from 'vitest';
import { asResourceVersion, asUid, type KubeObject } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { ObjectView } from '#shared/kube/object-view.ts';
import { viewReader } from '#shared/kube/view-reader.ts';
import { queuedFlow } from '../testing/queued.ts';
import { objectWithUid } from './object-with-uid.ts';

const former = queuedFlow({ uid: 'former' });
const present = queuedFlow({ uid: 'present' });
const none = () => Promise.resolve([]);

/** An outdated view with the earlier flow. The API server has the current one. */
function readerOf(stored: KubeObject | undefined) {
  let asked = 0;
  const view = new ObjectView();
  view.replace([former], asResourceVersion('100'));
  const get = () => Promise.resolve(stored).finally(() => (asked += 1));
  const reader = viewReader(
    { of: () => view },
    { get, list: none, listByOwner: none, listByOwners: none },
  );
  return { reader, asked: () => asked };
}

const named = (uid: string) => ({ namespace: 'default', name: 'etl', uid: asUid(uid) });

it('an object that took the name of another one is found while the view holds that other one', async () => {
  const { reader } = readerOf(present);
  expect(await objectWithUid(resources.JobFlow, named('present'), reader)).toBe(present);
});

it('an object is gone when the API server holds another one of its name', async () => {
  const { reader } = readerOf(present);
  expect(await objectWithUid(resources.JobFlow, named('gone'), reader)).toBeUndefined();
});

it('the API server is not asked for an object that the view holds', async () => {
  const { reader, asked } = readerOf(undefined);
  expect(await objectWithUid(resources.JobFlow, named('former'), reader)).toBe(former);
  expect(asked()).toBe(0);
});
