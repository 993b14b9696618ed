import { describe, expect, it } from 'vitest';
import { redactEnv } from './redact.ts';

const canary = 'canary-4711';

describe('redactEnv', () => {
  it('takes every value of an environment variable away, at any depth; names and references stay', () => {
    const fromSecret = { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } };
    const value = {
      env: [{ name: 'A', value: canary }, fromSecret],
      deep: [{ containers: [{ env: [{ name: 'C', value: canary }] }] }],
      args: ['--env'],
    };
    const result = redactEnv(value);
    expect(JSON.stringify(result)).not.toContain(canary);
    expect(result.env).toEqual([{ name: 'A', value: '[redacted]' }, fromSecret]);
    expect(result.args).toEqual(['--env']);
  });

  it('changes nothing the second time and leaves its input alone', () => {
    const value = { env: [{ name: 'A', value: canary }] };
    const once = redactEnv(value);
    expect(redactEnv(once)).toEqual(once);
    expect(value.env[0]?.value).toBe(canary);
  });
});
