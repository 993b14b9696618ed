import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startMain } from '#shared/runtime/testing/child-main.ts';

const main = join(import.meta.dirname, 'main.ts');

it('says what is wrong with sink and overrides, names what to do, and ends with 1', async () => {
  const { exit } = startMain(main, { K_SINK: 'http://', K_CE_OVERRIDES: '{"extensions":[]}' });
  const { code, stderr } = await exit;
  expect(code).toBe(1);
  expect(stderr).toBe(
    [
      'error: the configuration has faults: K_SINK: "http://" is no URL; ' +
        'K_CE_OVERRIDES (spec.ceOverrides of the source): extensions is no JSON object (MR_CONFIG_INVALID)',
      'next: correct every setting that is named and start again',
      '',
    ].join('\n'),
  );
});
