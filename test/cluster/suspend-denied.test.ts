/** Policies in a namespace where a foreign webhook denies what they write. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { SuspendPolicy, SuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import { type ReviewedRequest, startDenyingWebhook } from '#test/support/denying-webhook.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import type { FlowWorld } from '#test/support/flow-world.ts';
import { batchJob, openDuring, suspendPolicy } from '#test/support/suspension/suspend-manifests.ts';

const by = 'admission webhook "denying.example.com" denied the request: no';

describeFlows('denied writes of a policy', (suite) => {
  let world: FlowWorld;
  let webhook: AsyncDisposable;
  const rules: ((request: ReviewedRequest) => boolean)[] = [];

  const deny = (rule: (request: ReviewedRequest) => boolean): (() => void) => {
    rules.push(rule);
    return () => void rules.splice(rules.indexOf(rule), 1);
  };

  beforeAll(async () => {
    world = await suite.world('denied-policies');
    webhook = await startDenyingWebhook(suite.cluster, world.namespace, (request) => {
      const isDenied =
        request.userInfo.username === 'suspend-schedule' && rules.some((rule) => rule(request));
      return isDenied ? { code: 500, message: 'no' } : undefined;
    });
  });
  afterAll(() => webhook[Symbol.asyncDispose]());

  const closed = (name: string, spec: SuspendPolicySpec = {}) =>
    suspendPolicy(name, {
      selector: { matchLabels: { of: name } },
      schedule: openDuring(),
      ...spec,
    });
  const job = (name: string) => batchJob(`${name}-a`, { labels: { of: name } });
  const policyOf = async (name: string) => {
    const { api, namespace } = world;
    const found = await api.get('SuspendPolicy', { namespace, name });
    return found as unknown as SuspendPolicy | undefined;
  };
  const eventsOf = async (name: string) =>
    (await world.events()).flatMap(({ reason, message, involvedObject }) =>
      involvedObject?.name === name ? [`${reason ?? ''}: ${message ?? ''}`] : [],
    );
  const patiently = <Found>(look: () => Promise<Found>) =>
    vi.waitFor(look, { timeout: 90_000, interval: 500 });

  it.concurrent(
    'a resumption that is denied keeps the deleted policy, and both say so',
    async () => {
      await world.apply(job('going'), closed('going'));
      await world.untilJob('going-a', 'is suspended', ({ spec }) => spec.suspend === true);
      const allow = deny(({ name, operation }) => name === 'going-a' && operation === 'UPDATE');
      await world.delete('SuspendPolicy', 'going');
      await patiently(async () => {
        const refused = (await policyOf('going'))?.status?.conditions?.find(
          ({ type }) => type === 'Refused',
        );
        expect(refused).toMatchObject({ status: 'True', message: `going-a: ${by}` });
        expect((await eventsOf('going-a')).join()).toContain(`ResumptionRefused: not resumed yet`);
      });
      allow();
      await world.untilJob('going-a', 'runs again', ({ spec }) => spec.suspend === false);
      await patiently(async () => expect(await policyOf('going')).toBeUndefined());
    },
  );

  it.concurrent('a denied finalizer is reported by an Event on the policy', async () => {
    const allow = deny(
      ({ name, operation, subResource }) =>
        name === 'bare' && operation === 'UPDATE' && subResource === undefined,
    );
    await world.apply(job('bare'), closed('bare'));
    await patiently(async () => expect((await eventsOf('bare')).join()).toContain(by));
    expect((await eventsOf('bare')).join()).toContain('CannotGoOn: suspend-schedule cannot go on');
    allow();
    await world.untilJob('bare-a', 'is suspended', ({ spec }) => spec.suspend === true);
  });
});
