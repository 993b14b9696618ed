import { expect, it } from 'vitest';
import { annotations } from '#shared/domain/labels.ts';
import {
  asResourceVersion,
  asUid,
  type JsonObject,
  type KubeObject,
} from '#shared/domain/objects.ts';
import { goesAfterSuccess, isAtRest, isUnfinished } from './unfinished.ts';

function wrapper(phase: string | undefined, fields: JsonObject, isDeployed: boolean): KubeObject {
  const { suspend = false, ...metadata } = fields;
  const identity = { uid: asUid('u'), resourceVersion: asResourceVersion('3') };
  const deployed = { type: 'ResourcesDeployed', status: isDeployed ? 'True' : 'False' };
  const status = { conditions: [{ type: 'Other', status: 'True' }, deployed] };
  return {
    ...{ apiVersion: 'workload.codeflare.dev/v1beta2', kind: 'AppWrapper', spec: { suspend } },
    metadata: { name: 'train', namespace: 'default', ...identity, ...metadata },
    ...(phase === undefined ? {} : { status: { phase, ...status } }),
  };
}

const suspended = { suspend: true };
const deleted = { deletionTimestamp: '2026-01-05T08:00:00Z' };
const going = { annotations: { [annotations.deleteAfterSuccess]: 'true' } };
const staying = { annotations: { [annotations.deleteAfterSuccess]: 'false' } };

it.each<[string, string | undefined, JsonObject, boolean, boolean]>([
  ['that is new', undefined, {}, false, false],
  ['that is suspended and was resumed', 'Suspended', {}, false, false],
  ['that is suspended', 'Suspended', suspended, false, true],
  ['that runs and was suspended', 'Running', suspended, true, false],
  ['that runs', 'Running', {}, true, false],
  ['that has succeeded and has resources', 'Succeeded', {}, true, false],
  ['that has succeeded without resources', 'Succeeded', {}, false, true],
  ['that has succeeded and goes then', 'Succeeded', going, false, false],
  ['that has succeeded and stays', 'Succeeded', staying, false, true],
  ['that has failed and has resources', 'Failed', {}, true, false],
  ['that has failed without resources', 'Failed', {}, false, true],
  ['that has failed and would go after a success', 'Failed', going, false, true],
  ['that is being deleted', 'Failed', deleted, false, false],
])('a wrapper %s', (_, phase, fields, isDeployed, rests) => {
  const object = wrapper(phase, fields, isDeployed);
  expect([isAtRest(object), isUnfinished(object)]).toEqual([rests, !rests]);
});

it('a wrapper goes after its success only where its author wrote true', () => {
  const goes = [going, staying, {}].map((fields) =>
    goesAfterSuccess(wrapper('Succeeded', fields, false)),
  );
  expect(goes).toEqual([true, false, false]);
});
