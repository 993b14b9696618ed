/** The admission plugin ServiceAccount, and the accounts of every namespace. */
import type { JsonObject } from '#shared/domain/objects.ts';
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { busybox, ending, job, pod } from './samples.ts';

const account = (name: string, more: JsonObject = {}) => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name },
  ...more,
});

const isComplete = (it: Seen | undefined): boolean =>
  (it?.status as { conditions?: readonly { type: string }[] } | undefined)?.conditions?.some(
    ({ type }) => type === 'Complete',
  ) === true;

async function messageOf(s: Session, reason: string): Promise<void> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { body } = await s.aside('GET', `${s.path('Event')}?fieldSelector=reason%3D${reason}`);
    const [first] = body.items ?? [];
    if (first !== undefined || performance.now() > deadline) {
      s.note(reason, [first?.['type'], first?.['message']]);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** The template of a Job whose Pod ends after a second. */
function asAccount(serviceAccountName: string): JsonObject {
  const { spec, ...template } = ending(1, 0);
  return { ...template, spec: { ...(spec as JsonObject), serviceAccountName } };
}

export const serviceAccountScripts = family('service accounts', {
  'a namespace has its own account again when that is deleted': async (s) => {
    const { body } = await s.read('ServiceAccount', 'default');
    await s.aside('DELETE', s.path('ServiceAccount', 'default'));
    await s.until(
      'ServiceAccount',
      'default',
      (it) => it !== undefined && it.metadata.uid !== body.metadata.uid,
    );
    await s.read('ServiceAccount', 'default');
  },
  'a Pod without an account takes the one of its namespace': async (s) => {
    const { body } = await s.create(pod('a'));
    s.note('account', [body.spec?.['serviceAccountName'], body.spec?.['serviceAccount']]);
  },
  'a Pod takes the account that it names': async (s) => {
    await s.create(account('own'));
    await s.create(pod('a', { serviceAccountName: 'own' }));
  },
  'a Pod names its account by the field of old': async (s) => {
    await s.create(account('own'));
    await s.create(pod('a', { serviceAccount: 'own' }));
    await s.create(pod('b', { serviceAccount: 'none' }));
  },
  'a Pod of an account that does not exist is refused': async (s) => {
    await s.create(pod('a', { serviceAccountName: 'none' }));
    await s.create(pod('a', { serviceAccountName: 'none' }), { query: { dryRun: 'All' } });
    await s.create({
      ...pod('a', { serviceAccountName: 'none' }),
      metadata: { generateName: 'a-' },
    });
  },
  'an account of another namespace is none': async (s) => {
    const namespace = s.own('other');
    await s.aside('POST', s.path('Namespace'), {
      body: { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    });
    await s.create(account('own'), { namespace });
    await s.create(pod('a', { serviceAccountName: 'own' }));
    await s.aside('DELETE', s.path('Namespace', namespace));
  },
  'a Pod outlives its account': async (s) => {
    await s.create(account('own'));
    await s.create(pod('a', { serviceAccountName: 'own' }));
    await s.delete('ServiceAccount', 'own');
    await s.patch('Pod', 'a', 'merge', { metadata: { labels: { a: 'b' } } });
    await s.patch('Pod', 'a', 'merge', { spec: { serviceAccountName: 'default' } });
  },
  'a Pod pulls images with the secrets of its account': async (s) => {
    await s.create(account('own', { imagePullSecrets: [{ name: 'one' }] }));
    await s.create(pod('a', { serviceAccountName: 'own' }));
    const imagePullSecrets = [{ name: 'two' }];
    await s.create(pod('b', { serviceAccountName: 'own', imagePullSecrets }));
  },
  'a Pod mounts the token of its account': async (s) => {
    await s.create(pod('a', { automountServiceAccountToken: true }));
  },
  'a Job waits for its account and says so': async (s) => {
    await s.create(job('a', { template: asAccount('later') }));
    await messageOf(s, 'FailedCreate');
    const { body } = await s.aside('GET', s.path('Job', 'a'));
    const { active = 0, failed = 0 } = body.status as { active?: number; failed?: number };
    s.note('counts', { active, failed });
    await s.create(account('later'));
    await s.until('Job', 'a', isComplete);
    const { body: pods } = await s.aside('GET', s.path('Pod'));
    s.note(
      'accounts',
      pods.items?.map(({ spec }) => spec?.['serviceAccountName']),
    );
  },
  'a Job is created though its account does not exist': async (s) => {
    const spec = { serviceAccountName: 'none', restartPolicy: 'Never', containers: [busybox] };
    await s.create(job('a', { suspend: true, template: { spec } }), { query: { dryRun: 'All' } });
  },
});
