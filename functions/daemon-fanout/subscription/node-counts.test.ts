import { expect, it } from 'vitest';
import { type LedgerState, nodeKey, storedLedger } from '#shared/api/node-ledger.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { countNodes } from './node-counts.ts';

const uid = asUid('u-n1');

function node(labels: Readonly<Record<string, string>>, unschedulable: boolean): KubeObject {
  const metadata = { name: 'n1', uid, resourceVersion: asResourceVersion('1'), labels };
  const status = { conditions: [{ type: 'Ready', status: 'True' }] };
  return { apiVersion: 'v1', kind: 'Node', metadata, spec: { unschedulable }, status };
}

const template = { spec: { containers: [], nodeSelector: { disk: 'fast' } } };
const fast = node({ disk: 'fast' }, false);
const cordoned = node({ disk: 'fast' }, true);
const slow = node({}, false);
const all = { eligibility: 'All' } as const;
const excluding = { excludeNodeList: 'n1' };

const none = { open: 0, desired: 0, skipped: 0 };
const open = { open: 1, desired: 1, skipped: 0 };
const onRecord = { open: 0, desired: 1, skipped: 0 };
const skipped = { open: 0, desired: 0, skipped: 1 };

it.each<[string, KubeObject, LedgerState | undefined, JsonObject, ReturnType<typeof countNodes>]>([
  ['that can run it is open', fast, undefined, {}, open],
  ['that is cordoned is skipped', cordoned, undefined, {}, skipped],
  ['that is cordoned is open where all nodes are taken', cordoned, undefined, all, open],
  ['that is not selected does not count', slow, undefined, {}, none],
  ['that is not selected does not count where all are taken', slow, undefined, all, none],
  ['that is excluded does not count', fast, undefined, excluding, none],
  ['that is excluded while its Job runs does not count', fast, 'Started', excluding, none],
  ['that has had its Job counts though it is excluded', fast, 'Failed', excluding, onRecord],
  ['on which its Job runs is on record', fast, 'Started', {}, onRecord],
  ['that has had its Job is on record, though it is cordoned', cordoned, 'Succeeded', {}, onRecord],
  ['that was excluded for a time is open again', fast, 'Retired', {}, open],
])('a node %s', (_, counted, state, fields, counts) => {
  const entries = state === undefined ? [] : [[nodeKey(uid), { state, attempt: 0 }] as const];
  const status = { ledger: storedLedger(new Map(entries)) };
  expect(countNodes({ spec: { template, ...fields }, status }, [counted])).toEqual(counts);
});
