import { expect, it } from 'vitest';
import { kubectlOrThrow } from '#test/support/control-plane/kubectl.ts';
import { describeFlows } from '#test/support/flow-suite.ts';
import { flow, step } from '#test/support/flow-world.ts';
import { untilAuthorized } from '#test/support/until-authorized.ts';

interface ClusterRole {
  readonly rules: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
  }[];
}

const role = 'millrace:flow-advance';

describeFlows('permissions', (suite) => {
  it('says Forbidden without the right to create Jobs, and goes on once it is granted (rule 23, scenario 39, volcano#2983, volcano#2987)', async () => {
    const { kubectl } = suite.cluster;
    const world = await suite.world('forbidden');
    const read = await kubectlOrThrow(kubectl, ['get', 'clusterrole', role, '-o', 'json']);
    const granted = JSON.parse(read) as ClusterRole;
    const setRules = async ({ rules }: ClusterRole) => {
      const patch = JSON.stringify({ rules });
      await kubectlOrThrow(kubectl, ['patch', 'clusterrole', role, '--type=merge', '-p', patch]);
    };
    try {
      await setRules(withoutCreatingJobs(granted));
      const { namespace } = world;
      const creates = { user: 'flow-advance', namespace, right: ['create', 'jobs.batch'] } as const;
      await untilAuthorized(kubectl, creates, 'no');
      await world.apply(flow('refused', [step('a'), step('b', { after: ['a'] })]));
      const condition = await world.untilCondition('refused', 'Blocked', 'Forbidden');
      expect(condition.status).toBe('True');
      expect(condition.message).toMatch(/create.*jobs|jobs.*create/);
      expect(world.step('refused', 'a')).toMatchObject({ state: 'Blocked', reason: 'Forbidden' });
      expect(await world.namesEverCreated()).toEqual([]);
    } finally {
      await setRules(granted);
    }
    await world.untilState('refused', 'Succeed');
    expect(world.condition('refused', 'Blocked')?.status).toBe('False');
  });

  it('uses nothing but its own user for what it writes', async () => {
    const world = await suite.world('own-user');
    await world.apply(flow('own', [step('a')]));
    await world.untilState('own', 'Succeed');
    const creators = new Set((await world.jobsEverCreated()).map(({ user }) => user));
    expect(creators).toEqual(new Set(['flow-advance']));
    const refused = await world.requests({ user: /^(flow-advance|bridge|dispatcher)$/, code: 403 });
    expect(refused).toEqual([]);
  });
});

function withoutCreatingJobs({ rules }: ClusterRole): ClusterRole {
  return {
    rules: rules.map((rule) =>
      rule.resources.includes('jobs')
        ? { ...rule, verbs: rule.verbs.filter((verb) => verb !== 'create') }
        : rule,
    ),
  };
}
