/** Flows in a namespace where a foreign webhook denies what Millrace writes, each time with another status. */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  type Denial,
  type ReviewedRequest,
  startDenyingWebhook,
} from '#test/support/denying-webhook.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, type FlowWorld, step, untilEnded } from '#test/support/flow-world.ts';

interface Rule {
  /** Prefix of the names. */
  readonly of: string;
  readonly operation: ReviewedRequest['operation'];
  readonly subResource?: 'status';
  readonly denial: Denial;
}

const by = 'admission webhook "denying.example.com" denied the request';

describeFlows('denied writes of a flow', (suite) => {
  let world: FlowWorld;
  let webhook: AsyncDisposable;
  const rules: Rule[] = [];

  const deny = (rule: Rule): (() => void) => {
    rules.push(rule);
    return () => void rules.splice(rules.indexOf(rule), 1);
  };
  const isOfMillrace = ({ userInfo }: ReviewedRequest) => userInfo.username === 'flow-advance';

  beforeAll(async () => {
    world = await suite.world('denied');
    webhook = await startDenyingWebhook(suite.cluster, world.namespace, (request) => {
      if (!isOfMillrace(request)) return undefined;
      const { name, operation, subResource } = request;
      return rules.find(
        (rule) =>
          name.startsWith(rule.of) &&
          operation === rule.operation &&
          subResource === rule.subResource,
      )?.denial;
    });
  });
  afterAll(() => webhook[Symbol.asyncDispose]());

  const blocked = (name: string, reason: string) => world.untilCondition(name, 'Blocked', reason);
  const eventsOf = async (name: string) =>
    (await world.events()).flatMap(({ reason, message, involvedObject }) =>
      involvedObject?.name === name ? [`${reason ?? ''}: ${message ?? ''}`] : [],
    );

  it.concurrent.each([
    ['unauthorized', 401],
    ['conflict', 409],
    ['gone', 410],
    ['busy', 429],
    ['broken', 500],
    ['unavailable', 503],
  ])(
    'a Job denied as %s (%i) blocks the flow with the reason, until it is allowed',
    async (name, code) => {
      const allow = deny({ of: `${name}-`, operation: 'CREATE', denial: { code, message: 'no' } });
      await world.apply(flow(name, [step('a')]));
      const { status, message } = await blocked(name, 'Refused');
      expect([status, message]).toEqual(['True', `step a: ${by}: no`]);
      expect(await eventsOf(name)).toEqual([`Refused: step a: ${by}: no`]);
      allow();
      await world.untilState(name, 'Succeed');
    },
  );

  it.concurrent('a Job denied as one that exists is not looked for', async () => {
    const denial = { code: 409, reason: 'AlreadyExists' };
    deny({ of: 'exists-', operation: 'CREATE', denial });
    await world.apply(flow('exists', [step('a')]));
    expect((await blocked('exists', 'Refused')).message).toContain(by);
  });

  it.concurrent('a denied suspension is reported, and is made once it is allowed', async () => {
    const denial = { code: 500, message: 'no' };
    const allow = deny({ of: 'held-a', operation: 'UPDATE', denial });
    await world.apply(
      flow('held', [step('a', { runFor: untilEnded }), step('b', { runFor: untilEnded })]),
    );
    await world.untilRunning('held-a');
    await world.untilRunning('held-b');
    await world.patchFlow('held', { spec: { suspend: true } });
    const { message } = await blocked('held', 'Refused');
    expect(message).toBe(`Job held-a cannot be changed: ${by}: no`);
    expect(await eventsOf('held')).toContain(`Refused: ${message}`);
    await world.untilJob('held-b', 'is suspended', ({ spec }) => spec.suspend === true);
    allow();
    await world.untilJob('held-a', 'is suspended', ({ spec }) => spec.suspend === true);
    await blocked('held', 'NotBlocked');
  });

  it.concurrent('a denied deletion is reported, and the failed step is recorded', async () => {
    const allow = deny({ of: 'cancelled-', operation: 'DELETE', denial: { code: 403 } });
    await world.apply(
      flow(
        'cancelled',
        [step('a', { runFor: untilEnded }), step('b', { runFor: '1s', exitCode: 1 })],
        { failurePolicy: 'CancelRunning' },
      ),
    );
    const { message } = await blocked('cancelled', 'Forbidden');
    expect(message).toContain(`Job cancelled-a cannot be deleted: ${by}`);
    expect(world.flow('cancelled')?.status).toMatchObject({ reason: 'Forbidden', message });
    expect(world.step('cancelled', 'b')?.state).toBe('Failed');
    allow();
    await world.untilState('cancelled', 'Failed');
  });

  const untilReportedOn = (name: string): Promise<string> =>
    vi.waitFor(
      async () => {
        const event = (await eventsOf(name)).find((each) => each.startsWith('CannotGoOn'));
        expect(event).toBeDefined();
        return event!;
      },
      { timeout: 60_000, interval: 500 },
    );

  it.concurrent.each([
    ['mute', 403],
    ['silent', 500],
  ])('a status of %s that is denied with %i is reported by an Event', async (name, code) => {
    const denial = { code, message: 'no' };
    const allow = deny({ of: name, operation: 'UPDATE', subResource: 'status', denial });
    await world.apply(flow(name, [step('a')]));
    expect(await untilReportedOn(name)).toContain(`${by}: no`);
    allow();
    await world.untilState(name, 'Succeed');
  });

  it.concurrent('a flow whose deletion after its time to live is denied says so', async () => {
    const allow = deny({ of: 'stays', operation: 'DELETE', denial: { code: 403, message: 'no' } });
    await world.apply(flow('stays', [step('a')], { ttlSecondsAfterFinished: 0 }));
    expect(await untilReportedOn('stays')).toContain(`${by}: no`);
    allow();
    await world.until('the flow is gone', () => world.flow('stays') === undefined);
  });
});
