import { expect, it } from 'vitest';
import { assuming } from './assuming.ts';
import { policy, rival, snapshot } from './testing/builders.ts';

const schedule = {
  timeZone: 'UTC',
  windows: [{ name: 'night', open: '0 20 * * *', close: '0 6 * * *' }],
};
const given = (name: string) => ({
  ...{ apiVersion: 'millrace.dev/v1alpha1', kind: 'SuspendPolicy' },
  metadata: { name, namespace: 'default' },
  spec: { selector: {}, precedence: 3, schedule },
});

it('a policy that selects some of the same objects has the given schedule and precedence', () => {
  const seen = snapshot(policy(), [], { rivals: [rival('nights'), rival('days')] });
  const { rivals } = assuming(seen, given('nights'));
  expect(rivals).toEqual([rival('nights', { precedence: 3, schedule }), rival('days')]);
});

it('a policy that selects nothing of it changes nothing', () => {
  const seen = snapshot(policy(), [], { rivals: [rival('days')] });
  expect(assuming(seen, given('nights'))).toBe(seen);
});
