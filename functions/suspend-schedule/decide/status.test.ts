/** What the status of a policy says, as people read it. */
import { describe, expect, it } from 'vitest';
import { at, held, job, opensAt, policy, snapshot } from '../testing/builders.ts';
import { decided } from '../testing/decided.ts';

describe('why something is held', () => {
  const two = { capacity: { maxJobs: 2 } };

  it('is the reason of the status, with until when', () => {
    const { status } = decided(snapshot(policy(), [held('a'), held('b')]));
    const message = `2 held until ${at(opensAt)}`;
    expect(status).toMatchObject({ reason: 'WindowClosed', message });
  });

  it('is that there is no room where the policy is open', () => {
    const { status } = decided(
      snapshot(
        policy(two),
        ['a', 'b', 'c'].map((name) => job(name)),
      ),
    );
    expect(status).toMatchObject({
      reason: 'CapacityFull',
      message: '1 held; there is no room for more',
    });
  });

  it('is not said where nothing is', () => {
    const { status, condition } = decided(snapshot(policy(), [held('a')]), opensAt);
    expect(status).not.toHaveProperty('reason');
    expect(status).not.toHaveProperty('message');
    expect(condition('Held')).toBe('False/NothingHeld');
  });
});
