import { describe, expect, it } from 'vitest';
import { isLoopback } from './loopback.ts';

describe('isLoopback', () => {
  it.each(['127.0.0.1', '127.255.0.9', '::1', '[::1]', 'localhost', 'redis.localhost'])(
    'counts %s as this machine',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );

  it.each([
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '128.0.0.1',
    '127.0.0.1.example.com',
    'localhost.example.com',
    'notlocalhost',
    '::2',
    '',
  ])('does not count "%s" as this machine', (host) => {
    expect(isLoopback(host)).toBe(false);
  });
});
