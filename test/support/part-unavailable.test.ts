import { afterEach, expect, it, vi } from 'vitest';
import { obtainOrSkip, PartUnavailable } from './part-unavailable.ts';

const missing = async (): Promise<string> => {
  throw new PartUnavailable('no part here. Install it.');
};

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

it('skips a missing part with one line that says how to get it', async () => {
  vi.stubEnv('CI', '');
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const part: unknown = await obtainOrSkip(missing);
  expect(part).toBeUndefined();
  expect(written.mock.calls.map(([text]) => String(text).trim())).toEqual([
    '!!! SKIPPED: no part here. Install it.',
  ]);
});

it('fails for a missing part with CI=true', async () => {
  vi.stubEnv('CI', 'true');
  await expect(obtainOrSkip(missing)).rejects.toThrow(PartUnavailable);
});

it('never takes another fault for a missing part', async () => {
  vi.stubEnv('CI', '');
  const broken = async () => {
    throw new TypeError('a bug');
  };
  await expect(obtainOrSkip(broken)).rejects.toThrow(TypeError);
});
