import { afterEach, expect, test } from 'vitest';
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { refusal } from '../apimachinery/testing/refusal.ts';
import { configMap, Fixture } from './testing/fixture.ts';
import { startWebhook, type WebhookUnderTest } from './testing/webhook-under-test.ts';

const running: WebhookUnderTest[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((webhook) => webhook.stop()));
});

type Kind = 'Mutating' | 'Validating';

async function withWebhook(
  kind: Kind,
  respond: (request: JsonObject) => JsonObject,
  settings: JsonObject = {},
  sandbox: ConstructorParameters<typeof Fixture>[0] = {},
): Promise<{ api: Fixture; webhook: WebhookUnderTest }> {
  const webhook = await startWebhook(respond);
  running.push(webhook);
  const api = new Fixture(sandbox);
  const rule = {
    operations: ['CREATE', 'UPDATE'],
    apiGroups: [''],
    apiVersions: ['v1'],
    resources: ['configmaps'],
  };
  api.create(`${kind.toLowerCase()}webhookconfigurations.admissionregistration.k8s.io`, {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        clientConfig: webhook.clientConfig,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        rules: [rule],
        ...settings,
      },
    ],
  });
  return { api, webhook };
}

const create = (api: Fixture, name: string, rest: JsonObject = {}, meta: JsonObject = {}) =>
  api.sandbox.api.handle(api.call('create', 'configmaps', { body: configMap(name, rest, meta) }));

test('a mutating webhook changes the object before it is stored', async () => {
  const patch: Json = [{ op: 'add', path: '/data', value: { added: 'yes' } }];
  const encoded = Buffer.from(JSON.stringify(patch)).toString('base64');
  const { api, webhook } = await withWebhook('Mutating', () => ({
    allowed: true,
    patchType: 'JSONPatch',
    patch: encoded,
  }));
  await create(api, 'a');
  expect(api.get('configmaps', 'a')['data']).toEqual({ added: 'yes' });
  expect(webhook.requests).toMatchObject([
    {
      operation: 'CREATE',
      name: 'a',
      namespace: 'default',
      kind: { kind: 'ConfigMap' },
      oldObject: null,
    },
  ]);
});

test('a validating webhook refuses with its own words and code', async () => {
  const { api } = await withWebhook('Validating', () => ({
    allowed: false,
    status: { code: 403, message: 'not today' },
  }));
  await expect(create(api, 'a')).rejects.toMatchObject({
    code: 403,
    message: 'admission webhook "hook.example.com" denied the request: not today',
  });
  expect(api.names('configmaps')).toEqual([]);
});

test('a refusal without a code is a bad request, and without words says so', async () => {
  const { api } = await withWebhook('Validating', () => ({ allowed: false }));
  await expect(create(api, 'a')).rejects.toMatchObject({
    code: 400,
    reason: '',
    message: 'admission webhook "hook.example.com" denied the request without explanation',
  });
});

test('a patch of a webhook that does not apply is an error of the server', async () => {
  const patch = Buffer.from('[{"op":"remove","path":"/data/none"}]').toString('base64');
  const response = { allowed: true, patchType: 'JSONPatch', patch };
  const { api } = await withWebhook('Mutating', () => response);
  await expect(create(api, 'a')).rejects.toMatchObject({ code: 500, reason: 'InternalError' });
});

test('only who a rule and a selector concern is asked', async () => {
  const objectSelector = { matchLabels: { ask: 'yes' } };
  const { api, webhook } = await withWebhook('Validating', () => ({ allowed: true }), {
    objectSelector,
  });
  await create(api, 'a');
  await create(api, 'b', {}, { labels: { ask: 'yes' } });
  api.create('secrets', { metadata: { name: 's', labels: { ask: 'yes' } } });
  expect(webhook.requests.map(({ name }) => name)).toEqual(['b']);
});

test('failurePolicy says what a broken webhook means', async () => {
  for (const failurePolicy of ['Fail', 'Ignore']) {
    const { api, webhook } = await withWebhook('Validating', () => ({ allowed: true }), {
      failurePolicy,
    });
    await webhook.stop();
    running.pop();
    const outcome = await create(api, 'a').catch((error: unknown) => error as { code: number });
    expect(outcome.code).toBe(failurePolicy === 'Fail' ? 500 : 201);
  }
});

test('a write that met another one while it was asked starts anew', async () => {
  let meddle = (): void => undefined;
  const { api, webhook } = await withWebhook(
    'Validating',
    () => {
      meddle();
      return { allowed: true };
    },
    { objectSelector: { matchLabels: { ask: 'yes' } } },
  );
  const meta = { labels: { ask: 'yes' } };
  await create(api, 'a', {}, meta);
  meddle = () => {
    const { store } = api.sandbox;
    const present = store.get({ group: '', plural: 'configmaps' }, 'default', 'a')!;
    const { type } = api.call('get', 'configmaps');
    store.put(type, { ...present, data: { other: '1' } } as never);
    meddle = () => undefined;
  };
  const body = { data: { mine: '1' } };
  await api.sandbox.api.handle(
    api.call('patch', 'configmaps', { name: 'a', patchKind: 'merge', body }),
  );
  expect(api.get('configmaps', 'a')['data']).toEqual({ other: '1', mine: '1' });
  expect(webhook.requests).toHaveLength(3);
});

test('a synchronous call cannot ask and says so', async () => {
  const { api } = await withWebhook('Validating', () => ({ allowed: true }));
  const error = refusal(() => api.create('configmaps', configMap('a')));
  expect(error.message).toContain('a webhook concerns this CREATE of configmaps');
});

test('a webhook that is to be asked again is refused: it is not simulated', async () => {
  const again = withWebhook('Mutating', () => ({ allowed: true }), {
    reinvocationPolicy: 'IfNeeded',
  });
  await expect(again).rejects.toMatchObject({
    code: 422,
    details: { causes: [{ field: 'webhooks[0].reinvocationPolicy' }] },
  });
});

const deny = () => ({ allowed: false, status: { code: 403, message: 'no' } });
const only = (expression: string) => ({ matchConditions: [{ name: 'only', expression }] });

test('a webhook is asked only where its match conditions hold', async () => {
  const { api, webhook } = await withWebhook(
    'Validating',
    deny,
    only('object.metadata.name == "a"'),
  );
  await create(api, 'b');
  await expect(create(api, 'a')).rejects.toMatchObject({ code: 403 });
  expect(webhook.requests).toHaveLength(1);
});

test('a match condition may ask what who writes is allowed to do', async () => {
  const asked: JsonObject[] = [];
  const permits = (spec: JsonObject): boolean => {
    asked.push(spec);
    return spec['user'] === 'trusted';
  };
  const status = "group('g').resource('policies').subresource('status').namespace('default')";
  const others = only(`!authorizer.${status}.check('patch').allowed()`);
  const { api, webhook } = await withWebhook('Validating', deny, others, { permits });
  const createAs = (name: string, user: string) =>
    api.sandbox.api.handle(api.call('create', 'configmaps', { body: configMap(name), user }));
  await createAs('a', 'trusted');
  await expect(createAs('b', 'somebody')).rejects.toMatchObject({ code: 403 });
  expect(webhook.requests).toHaveLength(1);
  const resourceAttributes = {
    ...{ group: 'g', resource: 'policies', subresource: 'status' },
    ...{ namespace: 'default', verb: 'patch' },
  };
  expect(asked[0]).toEqual({
    ...{ user: 'trusted', groups: ['system:authenticated'] },
    resourceAttributes,
  });
});

test('a condition that cannot be evaluated refuses, or passes over a webhook that may be ignored', async () => {
  const broken = only('object.data.missing == "x"');
  const { api } = await withWebhook('Validating', deny, broken);
  await expect(create(api, 'a')).rejects.toMatchObject({ code: 500 });
  const ignored = await withWebhook('Validating', deny, { ...broken, failurePolicy: 'Ignore' });
  await create(ignored.api, 'a');
  expect(ignored.webhook.requests).toEqual([]);
});
