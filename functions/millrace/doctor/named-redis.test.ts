import { expect, it } from 'vitest';
import { MillraceError } from '#shared/domain/errors.ts';
import { namedRedis } from './named-redis.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const named = (data: Readonly<Record<string, string>> | undefined) => {
  const encoded: Readonly<Record<string, string>> = Object.fromEntries(
    Object.entries(data ?? {}).map(([key, text]) => [key, base64(text)] as const),
  );
  const found = data === undefined ? undefined : { data: encoded };
  return namedRedis({ get: () => Promise.resolve(found as never) }, 'millrace');
};

it('is the address of the Secret, of the dispatcher if it has a user', async () => {
  const url = 'rediss://redis.example.com:6380';
  expect(await named({ url })).toEqual({ url });
  const own = 'rediss://dispatcher:secret@redis.example.com:6380';
  expect(await named({ url, 'dispatcher-url': own })).toEqual({ url: own });
});

it('a Redis that only Pods reach is named without its password', async () => {
  const url = 'rediss://dispatcher:secret@redis.millrace.svc:6379';
  expect(await named({ 'dispatcher-url': url, 'ca.crt': 'x' })).toEqual({
    unreachable:
      'is at rediss://redis.millrace.svc:6379, by the Secret millrace-redis, and only Pods reach it',
  });
});

it('the Redis is unknown without a Secret, and where the user may not read it', async () => {
  expect(await named(undefined)).toBeUndefined();
  const forbidden = new MillraceError('MR_API_FORBIDDEN', {});
  const client = { get: () => Promise.reject(forbidden) };
  expect(await namedRedis(client, 'millrace')).toBeUndefined();
});
