/** Admission webhooks that the servers call over HTTPS: their requests and permitted answers. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '#shared/domain/objects.ts';
import { startWebhook, type WebhookUnderTest } from '#sandbox/testing';
import { family } from '../harness/script.ts';
import type { Seen, Session } from '../harness/session.ts';
import { configMap, ending, job } from './samples.ts';

type Review = (request: JsonObject) => JsonObject;

interface Setting {
  readonly kind?: 'Mutating' | 'Validating';
  readonly operations?: readonly string[];
  /** Fields of the webhook in the configuration. */
  readonly more?: JsonObject;
  /** Nothing listens there. */
  readonly isDown?: boolean;
}

const accept: Review = () => ({ allowed: true });
const patching = (patch: readonly JsonObject[]): Review => {
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  return () => ({ allowed: true, patchType: 'JSONPatch', patch: encoded });
};
const denying = (status?: JsonObject): Review => {
  return () => ({ allowed: false, ...(status === undefined ? {} : { status }) });
};

/** Configures the webhook for the script's namespace, waits until it is called, runs, and removes it. */
async function withWebhook(
  s: Session,
  review: Review,
  setting: Setting,
  run: (webhook: WebhookUnderTest) => Promise<void>,
): Promise<void> {
  const { kind = 'Validating', isDown = false } = setting;
  let isReady = false;
  const webhook = await startWebhook((request) => {
    const probed = (request['object'] as JsonObject | null)?.['metadata'] as JsonObject | undefined;
    if (probed?.['name'] !== 'probe') return review(request);
    isReady = true;
    return { allowed: true };
  });
  const config = `${kind}WebhookConfiguration` as const;
  const name = s.own('hook');
  await s.aside('POST', s.path(config), { body: configuration(s, name, config, webhook, setting) });
  if (isDown) await webhook.stop();
  try {
    await untilCalled(s, () => isReady || isDown);
    if (isDown) await sleep(1_000);
    await run(webhook);
  } finally {
    await s.aside('DELETE', s.path(config, name));
    if (!isDown) await webhook.stop();
  }
}

function configuration(
  s: Session,
  name: string,
  kind: string,
  { clientConfig }: WebhookUnderTest,
  { operations = ['CREATE', 'UPDATE', 'DELETE'], more = {} }: Setting,
): JsonObject {
  const rule = { apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: { name },
    webhooks: [
      {
        name: 'hook.conformance.test',
        clientConfig: { ...clientConfig },
        rules: [{ ...rule, operations: [...operations, 'CREATE'] }],
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': s.ns } },
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        timeoutSeconds: 5,
        ...more,
      },
    ],
  };
}

async function untilCalled(s: Session, isReady: () => boolean): Promise<void> {
  const deadline = performance.now() + 10_000;
  const probe = configMap('probe', {}, { labels: { probed: 'yes' } });
  while (!isReady()) {
    await s.aside('POST', s.path('ConfigMap'), { body: probe, query: { dryRun: 'All' } });
    if (performance.now() > deadline) throw new Error('the webhook was never called');
    await sleep(50);
  }
}

/** The probes, and objects that kube-controller-manager creates in each new namespace. */
const notOfTheScript: readonly unknown[] = ['probe', 'kube-root-ca.crt'];

/** Requests to a webhook about the script's own objects. */
function asked(s: Session, { requests }: WebhookUnderTest): void {
  for (const request of requests) {
    if (notOfTheScript.includes(request['name'])) continue;
    s.note('review', { ...request, uid: undefined, userInfo: undefined });
  }
}

/** Requests about Pods, without the probes. */
function podRules(operations: readonly string[]): JsonObject {
  const rule = { apiGroups: [''], apiVersions: ['v1'] };
  return {
    rules: [
      { ...rule, operations: ['CREATE'], resources: ['configmaps'] },
      { ...rule, operations, resources: ['pods'] },
    ],
  };
}

/** Waits up to 10 s for an Event with the reason. */
async function firstEvent(s: Session, reason: string): Promise<Seen> {
  const deadline = performance.now() + 10_000;
  for (;;) {
    const { body } = await s.aside('GET', s.path('Event'));
    const found = body.items?.find((event) => event['reason'] === reason);
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`no Event tells ${reason}`);
    await sleep(100);
  }
}

export const webhookScripts = family('webhooks', {
  'a mutating webhook changes what is stored': async (s) => {
    const review = patching([{ op: 'add', path: '/data', value: { added: 'yes' } }]);
    await withWebhook(s, review, { kind: 'Mutating', operations: ['CREATE'] }, async () => {
      await s.create(configMap('a'));
      await s.read('ConfigMap', 'a');
    });
  },
  'a validating webhook refuses': async (s) => {
    await withWebhook(s, denying({ message: 'not today' }), {}, async () => {
      await s.create(configMap('a'));
      await s.read('ConfigMap', 'a');
    });
  },
  'a refusal has the code and reason of the webhook': async (s) => {
    const status = { code: 422, reason: 'Invalid', message: 'no good' };
    await withWebhook(s, denying(status), {}, async () => {
      await s.create(configMap('a'));
    });
  },
  'a refusal without words': async (s) => {
    await withWebhook(s, denying(), {}, async () => {
      await s.create(configMap('a'));
    });
  },
  'a deletion is refused': async (s) => {
    const review: Review = ({ operation }) => ({ allowed: operation !== 'DELETE' });
    await withWebhook(s, review, {}, async () => {
      await s.create(configMap('a'));
      await s.delete('ConfigMap', 'a');
      await s.read('ConfigMap', 'a');
    });
  },
  'warnings of a webhook reach the client': async (s) => {
    const review: Review = () => ({ allowed: true, warnings: ['mind the gap'] });
    await withWebhook(s, review, {}, async () => {
      await s.create(configMap('a'));
    });
  },
  'a review tells the object, the old one and what is done': async (s) => {
    await withWebhook(s, accept, {}, async (webhook) => {
      await s.create(configMap('a'));
      await s.patch('ConfigMap', 'a', 'merge', { data: { b: '2' } });
      await s.delete('ConfigMap', 'a');
      asked(s, webhook);
    });
  },
  'a write that changes nothing is sent to the webhook': async (s) => {
    await withWebhook(s, accept, { operations: ['UPDATE'] }, async (webhook) => {
      await s.create(configMap('a', { b: '2' }));
      await s.patch('ConfigMap', 'a', 'merge', { data: { b: '2' } });
      asked(s, webhook);
    });
  },
  'a dry run is sent to the webhook': async (s) => {
    await withWebhook(s, accept, {}, async (webhook) => {
      await s.create(configMap('a'), { query: { dryRun: 'All' } });
      asked(s, webhook);
    });
  },
  'the options of a request are sent to the webhook': async (s) => {
    await withWebhook(s, accept, {}, async (webhook) => {
      const query = { fieldManager: 'me', fieldValidation: 'Strict' };
      await s.create(configMap('a'), { query });
      await s.patch('ConfigMap', 'a', 'merge', { data: { b: '2' } }, { query });
      await s.apply(configMap('a', { c: '3' }), 'you', { query: { force: true } });
      await s.delete('ConfigMap', 'a', {
        query: { propagationPolicy: 'Background', gracePeriodSeconds: 0 },
      });
      asked(s, webhook);
    });
  },
  'an operation that is not configured is not reported': async (s) => {
    await withWebhook(s, denying(), { operations: ['CREATE'] }, async (webhook) => {
      await s.create(configMap('a'));
      await s.delete('ConfigMap', 'a');
      asked(s, webhook);
    });
  },
  'objects are chosen by their labels': async (s) => {
    const objectSelector = { matchExpressions: [{ key: 'probed', operator: 'Exists' }] };
    await withWebhook(s, denying(), { more: { objectSelector } }, async () => {
      await s.create(configMap('a'));
      await s.create(configMap('b', {}, { labels: { probed: 'too' } }));
    });
  },
  'a webhook that is down refuses by failurePolicy Fail': async (s) => {
    await withWebhook(s, accept, { isDown: true, more: { failurePolicy: 'Fail' } }, async () => {
      const { code, body } = await s.aside('POST', s.path('ConfigMap'), { body: configMap('a') });
      s.note('answer', [code, body['reason'], String(body['message']).split(':')[0]]);
    });
  },
  'a webhook that is down is passed by failurePolicy Ignore': async (s) => {
    await withWebhook(s, accept, { isDown: true, more: { failurePolicy: 'Ignore' } }, async () => {
      await s.create(configMap('a'));
    });
  },
  'the Pods of a Job are changed, too': async (s) => {
    const review = patching([{ op: 'add', path: '/metadata/labels/added', value: 'yes' }]);
    const more = podRules(['CREATE']);
    await withWebhook(s, review, { kind: 'Mutating', more }, async () => {
      await s.create(job('a', { completions: 2, parallelism: 2, template: ending(1, 0) }));
      const succeeded = (it: Seen | undefined) => (it?.status as { succeeded?: number }).succeeded;
      await s.until('Job', 'a', (it) => succeeded(it) === 2);
      const { body } = await s.aside('GET', s.path('Pod'));
      s.note(
        'added',
        body.items!.map(({ metadata }) => metadata.labels?.['added']),
      );
    });
  },
  'a Job tells who refuses its Pods': async (s) => {
    const more = podRules(['CREATE']);
    await withWebhook(s, denying({ message: 'not today' }), { more }, async () => {
      await s.create(job('a'));
      const { type, message } = await firstEvent(s, 'FailedCreate');
      s.note('event', [type, message]);
    });
  },
  'a patch that does not apply is an error': async (s) => {
    const review = patching([{ op: 'remove', path: '/data/none' }]);
    await withWebhook(s, review, { kind: 'Mutating' }, async () => {
      const { code } = await s.aside('POST', s.path('ConfigMap'), { body: configMap('a') });
      s.note('code', code);
    });
  },
  'a mutation that is not valid is refused': async (s) => {
    const review = patching([{ op: 'add', path: '/metadata/labels', value: { 'a b': 'c' } }]);
    await withWebhook(s, review, { kind: 'Mutating' }, async () => {
      await s.create(configMap('a'));
    });
  },
});
