/** The six types of Knative's ApiServerSource on their way to a function, as a broker sends them. */
import { CloudEvent, HTTP } from 'cloudevents';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WorkItem } from '#shared/domain/work-item.ts';
import { jobReference } from '#shared/events/testing/job-reference.ts';
import { createStoredCluster } from '../testing/stored-cluster.ts';
import { serveFunction, type ServedFunction } from '../testing/served-function.ts';

const { owner } = jobReference;
const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'flow-a-step',
    namespace: 'default',
    ownerReferences: [{ ...owner, controller: true }],
  },
};
const namesOnly = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  name: 'flow-a-step',
  namespace: 'default',
};

let items: WorkItem[];
let cluster: ReturnType<typeof createStoredCluster>;
let served: ServedFunction;
beforeEach(async () => {
  items = [];
  cluster = createStoredCluster();
  const process = (item: WorkItem) => {
    items.push(item);
    return Promise.resolve({ kind: 'done' } as const);
  };
  served = await serveFunction(process, {}, cluster.reader);
});
afterEach(() => served.service.drain());

/** As the adapter writes it, with the attributes that a broker adds. */
function sent(mode: 'binary' | 'structured', type: string, data: object): Promise<Response> {
  const event = new CloudEvent({
    id: 'b1e0f0f2-7a5b-4a34-9d94-8a4fb4c6a2b1',
    source: 'https://10.96.0.1:443',
    type: `dev.knative.apiserver.${type}`,
    subject: '/apis/batch/v1/namespaces/default/jobs/flow-a-step',
    time: '2026-11-21T10:00:00.123456789Z',
    datacontenttype: 'application/json',
    kind: 'Job',
    apiversion: 'batch/v1',
    name: 'flow-a-step',
    namespace: 'default',
    knativearrivaltime: '2026-11-21T10:00:00.2Z',
    data,
  });
  const { headers, body } = HTTP[mode](event);
  const others = { prefer: 'reply', 'knative-eventing-attempt': '1' };
  return served.send('unused', {
    headers: { ...(headers as Record<string, string>), ...others },
    body: String(body),
  });
}

const modes = ['binary', 'structured'] as const;
const flowIsDue = {
  function: 'flow-advance',
  key: {
    apiVersion: owner.apiVersion,
    kind: 'JobFlow',
    namespace: 'default',
    name: 'flow-a',
    uid: 'u-flow',
  },
  cause: 'b1e0f0f2-7a5b-4a34-9d94-8a4fb4c6a2b1',
};

describe.each(modes)('in %s mode', (mode) => {
  it.each(['resource.add', 'resource.update', 'resource.delete'])(
    '%s has the flow of the Job that it carries looked at',
    async (type) => {
      const { metadata } = job;
      const carried = { ...job, metadata: { ...metadata, uid: 'u-job', resourceVersion: '77' } };
      const response = await sent(mode, type, carried);
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(items).toEqual([flowIsDue]);
    },
  );
  it.each(['ref.add', 'ref.update', 'ref.delete'])(
    '%s has the flow of the Job that it names looked at',
    async (type) => {
      cluster.put(job);
      const response = await sent(mode, type, namesOnly);
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(items).toEqual([flowIsDue]);
    },
  );
  it('ref.delete of a Job that is gone is taken; whose Job it was cannot be known', async () => {
    expect((await sent(mode, 'ref.delete', namesOnly)).status).toBe(204);
    expect(items).toEqual([]);
  });
  it('a type that the source never sends is refused', async () => {
    expect((await sent(mode, 'ref.watch', namesOnly)).status).toBe(422);
    expect(items).toEqual([]);
  });
});
