/** Lists with label and field selectors. */
import { family, type Rules } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';
import { configMap, pod, restingJob, secret } from './samples.ts';

/** Four Secrets: `app` is x, x, y and absent. Only the first one has `tier`. */
async function labelled(s: Session): Promise<void> {
  await s.create(secret('one', { labels: { app: 'x', tier: 'front', n: '1' } }));
  await s.create(secret('two', { labels: { app: 'x', n: '2' } }));
  await s.create(secret('three', { labels: { app: 'y', n: '3' } }));
  await s.create(secret('four'));
}

const labelSelectors = [
  'app=x',
  'app==x',
  'app!=x',
  'app',
  '!app',
  'app in (x,y)',
  'app in (x)',
  'app in ()',
  'app notin (x,y)',
  'app notin (x)',
  'app=x,tier',
  'app=x,!tier',
  ' app = x , tier = front ',
  'n>1',
  'n<2',
  'app=',
  'app!=',
  'app>1',
  '',
];

const badLabelSelectors = [
  'app=x y',
  'app in x',
  '=x',
  'app=x,',
  '!',
  'a/b/c=d',
  'app in (x',
  'n>x',
  '?',
];

const fieldSelectors = [
  'metadata.name=one',
  'metadata.name!=one',
  'metadata.name==two',
  'type=Opaque',
  'type!=Opaque',
  'metadata.name=one,type=Opaque',
  'metadata.namespace=default',
];

const badFieldSelectors = [
  'data.key=x',
  'metadata.uid=1',
  'metadata.name',
  'metadata.name>x',
  '=one',
  'metadata.labels.app=x',
];

const names = (items: readonly { metadata: { name: string } }[] | undefined) =>
  items?.map(({ metadata }) => metadata.name);

function listing(parameter: string, values: readonly string[]): Rules {
  return Object.fromEntries(
    values.map((value) => [
      `${parameter} '${value}'`,
      async (s: Session) => {
        await labelled(s);
        const { body } = await s.list('Secret', { [parameter]: value });
        s.note('names', names(body.items));
      },
    ]),
  );
}

const podFields = [
  'spec.nodeName=none',
  'spec.nodeName=',
  'spec.restartPolicy=Never',
  'spec.schedulerName=nobody',
  'spec.serviceAccountName=',
  'spec.hostNetwork=false',
  'status.phase=Pending',
  'status.phase!=Pending',
  'status.podIP=',
  'status.nominatedNodeName=',
  'spec.containers=x',
];

export const selectorScripts = family('selectors', {
  ...listing('labelSelector', labelSelectors),
  ...listing('labelSelector', badLabelSelectors),
  ...listing('fieldSelector', fieldSelectors),
  ...listing('fieldSelector', badFieldSelectors),
  'a Pod is found by its fields': async (s) => {
    await s.create(pod('a', { restartPolicy: 'Never' }));
    await s.create(pod('b', { nodeName: 'none' }));
    for (const fieldSelector of podFields) {
      const { body } = await s.list('Pod', { fieldSelector });
      s.note(fieldSelector, names(body.items));
    }
  },
  'a Job is found by its number of successes': async (s) => {
    await s.create(restingJob('a'));
    await s.list('Job', { fieldSelector: 'status.successful=0' });
    await s.list('Job', { fieldSelector: 'status.successful=1' });
    await s.list('Job', { fieldSelector: 'spec.suspend=true' });
  },
  'an Event is found by what it tells of': async (s) => {
    const about = (name: string) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: s.ns,
      name,
      uid: `${name}-uid`,
    });
    for (const name of ['a', 'b']) {
      await s.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name },
        involvedObject: about(name),
        reason: `Because${name}`,
        message: 'reported by a test',
        type: 'Normal',
        source: { component: 'conformance' },
      });
    }
    const fields = [
      'involvedObject.name=a',
      'involvedObject.uid=b-uid',
      'involvedObject.kind=Job',
      'reason=Becausea',
      'type=Warning',
      'source=conformance',
      'reportingComponent=conformance',
      'involvedObject.fieldPath=',
      'message=x',
    ];
    for (const fieldSelector of fields) {
      const { body } = await s.list('Event', { fieldSelector });
      s.note(fieldSelector, names(body.items));
    }
    const { body } = await s.list('NewEvent', { fieldSelector: 'regarding.name=a' });
    s.note('regarding', names(body.items));
    await s.list('NewEvent', { fieldSelector: 'involvedObject.name=a' });
  },
  'label and field selectors hold together': async (s) => {
    await labelled(s);
    const both = { labelSelector: 'app=x', fieldSelector: 'metadata.name!=one' };
    const { body } = await s.list('Secret', both);
    s.note('names', names(body.items));
  },
  'a list over all namespaces knows metadata.namespace': async (s) => {
    await s.create(configMap('mine', {}, { labels: { mine: s.ns } }));
    const query = { labelSelector: `mine=${s.ns}`, fieldSelector: `metadata.namespace=${s.ns}` };
    await s.list('ConfigMap', query, { namespace: '' });
    await s.list(
      'ConfigMap',
      { ...query, fieldSelector: 'metadata.namespace=default' },
      { namespace: '' },
    );
  },
  'a Namespace is found by its phase': async (s) => {
    const here = { labelSelector: `kubernetes.io/metadata.name=${s.ns}` };
    await s.list('Namespace', { ...here, fieldSelector: 'status.phase=Active' });
    await s.list('Namespace', { ...here, fieldSelector: 'status.phase=Terminating' });
    await s.list('Namespace', { ...here, fieldSelector: 'spec.x=1' });
  },
  'a Node is found by whether it is unschedulable': async (s) => {
    await s.list('Node', { fieldSelector: 'spec.unschedulable=yes' });
    await s.list('Node', { fieldSelector: 'spec.taints=x' });
  },
});
