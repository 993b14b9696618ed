import { describe, expect, it } from 'vitest';
import { readConfiguration } from '#shared/runtime/process/configuration.ts';
import { lifecycleSettings, rulesOf } from './lifecycle-settings.ts';
import { defaultRules } from './rules.ts';

function rulesBy(settings: Readonly<Record<string, string>>) {
  const environment = Object.fromEntries(
    Object.entries(settings).map(([name, text]) => [`MILLRACE_APPWRAPPER_${name}`, text]),
  );
  return rulesOf(readConfiguration(lifecycleSettings, environment));
}

describe('the rules of an installation', () => {
  it('are those of the original controller by default (C1)', () => {
    expect(rulesBy({})).toEqual(defaultRules);
  });

  it('take durations as people write them', () => {
    const { faults, graceCeilingMs } = rulesBy({ WARMUP_GRACE: '1h30m', GRACE_CEILING: '48h' });
    expect(faults.warmupGraceMs).toBe(5_400_000);
    expect(graceCeilingMs).toBe(172_800_000);
  });

  it.each([
    'ADMISSION_GRACE',
    'WARMUP_GRACE',
    'FAILURE_GRACE',
    'RETRY_PAUSE',
    'FORCEFUL_DELETION_GRACE',
  ])('refuse a %s above the ceiling (C2)', (name) => {
    expect(() => rulesBy({ [name]: '25h' })).toThrow(
      `MILLRACE_APPWRAPPER_${name}: exceeds MILLRACE_APPWRAPPER_GRACE_CEILING`,
    );
  });

  it('refuse a Pod grace that ends before the Pods have to exist (C2)', () => {
    expect(() => rulesBy({ ADMISSION_GRACE: '6m' })).toThrow(
      'MILLRACE_APPWRAPPER_ADMISSION_GRACE: exceeds MILLRACE_APPWRAPPER_WARMUP_GRACE',
    );
  });

  it('name every fault at once (C2)', () => {
    expect(() =>
      rulesBy({ SUCCESS_TTL: '-1s', RETRY_PAUSE: '90', RESOURCE_TAINTS: 'gpu a=b:Evict' }),
    ).toThrow(
      /SUCCESS_TTL: "-1s" is no duration.*RETRY_PAUSE: "90" is no duration.*RESOURCE_TAINTS: "gpu a=b:Evict" is not RESOURCE KEY=VALUE:EFFECT/,
    );
  });

  it('say which labels of nodes call which resource broken', () => {
    const { taints } = rulesBy({
      RESOURCE_TAINTS:
        'example.com/fpga health=bad:NoExecute, example.com/fpga health=odd:PreferNoSchedule',
    }).nodeHealth;
    expect(taints).toEqual([
      { resource: 'example.com/fpga', key: 'health', value: 'bad', effect: 'NoExecute' },
      { resource: 'example.com/fpga', key: 'health', value: 'odd', effect: 'PreferNoSchedule' },
    ]);
  });
});
