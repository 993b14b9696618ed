import { describe, expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { withoutQuotedValues } from './quoted-values.ts';

const job = (env: unknown) => ({ spec: { template: { spec: { containers: [{ env }] } } } });

async function thrown(body: unknown, detail?: string): Promise<MillraceError> {
  const cause = new Error(detail);
  const quoted = detail === undefined ? {} : { detail };
  const fields = { verb: 'create', path: '/jobs', reason: 'Invalid', ...quoted };
  const error = new MillraceError('MR_API_RETRYABLE', fields, { cause, retryAfterMs: 5 });
  return (await withoutQuotedValues(body, () => Promise.reject(error)).catch(
    (reason: unknown) => reason,
  )) as MillraceError;
}

describe('an error about a write', () => {
  it('quotes no value of its environment, escaped or not, and keeps the rest', async () => {
    const env = [
      { name: 'TOKEN', value: 'hunter2 "quoted"' },
      { name: 'PLAIN', value: 'plain-value' },
    ];
    const error = await thrown(
      job(env),
      'env[0]: Invalid value: "hunter2 \\"quoted\\"", or hunter2 "quoted" or plain-value',
    );
    expect(error.fields['detail']).toBe(
      'env[0]: Invalid value: "[redacted]", or [redacted] or [redacted]',
    );
    expect(error.message).toContain('[redacted]');
    expect(error.message + String(error.cause)).not.toMatch(/hunter2|plain-value/);
    expect(error).toMatchObject({ code: 'MR_API_RETRYABLE', retryAfterMs: 5 });
    expect(error.fields['reason']).toBe('Invalid');
  });

  it('hides a short value only where it is quoted', async () => {
    const error = await thrown(job([{ name: 'MODE', value: 'info' }]), 'no information: "info"');
    expect(error.fields['detail']).toBe('no information: "[redacted]"');
  });

  it('hides a value of eight characters wherever it stands, and one of seven only in quotes', async () => {
    const env = { LONG: '12345678', SHORT: 'abcdefg' };
    const error = await thrown(job(env), 'x12345678x and xabcdefgx "abcdefg"');
    expect(error.fields['detail']).toBe('x[redacted]x and xabcdefgx "[redacted]"');
  });

  it('hides nothing for the sake of an empty value', async () => {
    const error = await thrown(job({ EMPTY: '', TOKEN: 'hunter2hunter2' }), '"" of hunter2hunter2');
    expect(error.fields['detail']).toBe('"" of [redacted]');
  });

  it('is the same error when it quotes nothing', async () => {
    const error = await thrown(job({ TOKEN: 'hunter2hunter2' }));
    expect(error.fields).not.toHaveProperty('detail');
  });

  it('hides the longer of two values of which one is a part of the other', async () => {
    const env = { A: 'long-secret', B: 'long-secret-2' };
    expect((await thrown(job(env), 'got long-secret-2')).fields['detail']).toBe('got [redacted]');
  });

  it('is the same error when it quotes none', async () => {
    const error = await thrown(job([{ name: 'TOKEN', value: 'hunter2hunter2' }]), 'TOKEN is bad');
    expect(error.cause).toBeDefined();
  });
});

it('passes the answer and other errors on', async () => {
  expect(await withoutQuotedValues({}, () => Promise.resolve(5))).toBe(5);
  const error = new TypeError('x');
  await expect(withoutQuotedValues({}, () => Promise.reject(error))).rejects.toBe(error);
});
