import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openDeliveryKeys, requireKeyBeyondLoopback, type DeliveryKeys } from './delivery-keys.ts';

const keyOf = (byte: number) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`;
let folder: string;
let file: string;
let keys: DeliveryKeys | undefined;
let warnings: number;
let logged: unknown[];
const logger = {
  info: (...line: readonly unknown[]) => void logged.push(line),
  warn: () => void (warnings += 1),
};

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-keys-'));
  file = join(folder, 'key');
  warnings = 0;
  logged = [];
});
afterEach(async () => {
  keys?.close();
  await rm(folder, { recursive: true });
});
const first = () => keys?.current().map((key) => key[0]);

it('are none when nothing is set', async () => {
  expect(await openDeliveryKeys({}, logger)).toBeUndefined();
});

it('come from the setting', async () => {
  keys = await openDeliveryKeys({ deliveryKey: `${keyOf(1)} ${keyOf(2)}` }, logger);
  expect(first()).toEqual([1, 2]);
});

it('in a setting are refused by the name of the setting', async () => {
  const setting = openDeliveryKeys({ deliveryKey: 'half a ke' }, logger);
  await expect(setting).rejects.toThrow('MILLRACE_DELIVERY_KEY');
});

it('in a file keep no process from ending', async () => {
  await writeFile(file, `${keyOf(1)}\n`);
  const timers = vi.spyOn(globalThis, 'setInterval');
  keys = await openDeliveryKeys({ deliveryKeyFile: file }, logger);
  expect(timers.mock.results.map(({ value }) => (value as NodeJS.Timeout).hasRef())).toEqual([
    false,
  ]);
  timers.mockRestore();
});

it('in a file are read again, and stay as they were when it turns bad', async () => {
  await writeFile(file, `${keyOf(1)}\n`);
  keys = await openDeliveryKeys({ deliveryKeyFile: file }, logger, 10);
  expect(first()).toEqual([1]);
  await writeFile(file, `${keyOf(1)}\n${keyOf(2)}\n`);
  await expect.poll(first).toEqual([1, 2]);
  await writeFile(file, 'half a ke');
  await expect.poll(() => warnings).toBeGreaterThan(0);
  expect(first()).toEqual([1, 2]);
  await writeFile(file, keyOf(2));
  await expect.poll(first).toEqual([2]);
  const message = 'delivery keys were replaced';
  expect(logged).toEqual([2, 1].map((count) => [{ file, keys: count }, message]));
});

it('are refused when both settings are given, or the file is not there', async () => {
  const both = openDeliveryKeys({ deliveryKey: keyOf(1), deliveryKeyFile: file }, logger);
  await expect(both).rejects.toThrow('only one may be set');
  await expect(both).rejects.toThrow('MILLRACE_DELIVERY_KEY and MILLRACE_DELIVERY_KEY_FILE');
  const absent = openDeliveryKeys({ deliveryKeyFile: file }, logger);
  await expect(absent).rejects.toThrow(file);
  await expect(absent).rejects.toMatchObject({ cause: { code: 'ENOENT' } });
});

describe('beyond loopback', () => {
  const listening =
    (host: string, allowUnsigned = false) =>
    () =>
      requireKeyBeyondLoopback({ host, allowUnsigned }, keys);
  it.each(['::', '0.0.0.0', '10.0.0.1', '127.evil.example', 'example.org', ''])(
    '%j needs a key',
    async (host) => {
      keys = undefined;
      expect(listening(host)).toThrow(`on ${host}, for other machines, without a delivery key`);
      expect(listening(host, true)).not.toThrow();
      keys = await openDeliveryKeys({ deliveryKey: keyOf(1) }, logger);
      expect(listening(host)).not.toThrow();
    },
  );
  it.each(['127.0.0.1', '127.8.0.1', '::1', 'localhost'])('%s is not', (host) => {
    keys = undefined;
    expect(listening(host)).not.toThrow();
  });
});
