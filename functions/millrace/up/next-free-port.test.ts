import { expect, test } from 'vitest';
import { onNextFreePort } from './next-free-port.ts';

const inUse = () => Object.assign(new Error('in use'), { code: 'EADDRINUSE' });

test('takes the port that was asked for', async () => {
  expect(await onNextFreePort(7070, async (port) => `at ${port}`)).toEqual({
    listening: 'at 7070',
    port: 7070,
  });
});

test('takes the next free one when it is busy', async () => {
  const listen = async (port: number) => {
    if (port < 7073) throw inUse();
    return port;
  };
  expect((await onNextFreePort(7070, listen)).port).toBe(7073);
});

test('any port is asked for only once', async () => {
  const asked: number[] = [];
  const listen = async (port: number) => {
    asked.push(port);
    throw inUse();
  };
  await expect(onNextFreePort(0, listen)).rejects.toThrow(/in use/);
  expect(asked).toEqual([0]);
});

test('gives up after a hundred, and never goes beyond the last port', async () => {
  const listen = async () => {
    throw inUse();
  };
  await expect(onNextFreePort(7070, listen)).rejects.toThrow(/ports 7070 to 7169/);
  await expect(onNextFreePort(65_500, listen)).rejects.toThrow(/65500 to 65535/);
});

test('another fault is no reason to try on', async () => {
  const listen = async () => {
    throw Object.assign(new Error('not allowed'), { code: 'EACCES' });
  };
  await expect(onNextFreePort(80, listen)).rejects.toThrow('not allowed');
});
