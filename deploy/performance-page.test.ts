import { describe, expect, it } from 'vitest';
import { type BenchResult, resultFormat } from '#test/bench/result.ts';
import { measurement, refused } from '#test/bench/testing/measurements.ts';
import { performancePage } from './performance-page.ts';

const result: BenchResult = {
  format: resultFormat,
  startedAt: '2026-11-22T20:00:00.000Z',
  command: 'npm run bench --only chain-10',
  machine: {
    processor: 'A processor',
    cores: 2,
    memoryGiB: 24,
    system: 'Linux 6.1',
    node: 'v24.0.0',
    kubernetes: 'v1.36.3',
    etcd: 'v3.6.6',
    millrace: '0.1.0',
  },
  measurements: [
    measurement({}, { stepsPerSecond: 70 }),
    measurement({}, { stepsPerSecond: 90 }),
    refused({ workload: 'layers', says: 'many layers' }),
  ],
};

describe('the page of figures', () => {
  it('names the command and the machine', () => {
    expect(performancePage(result)).toContain(
      '`npm run bench --only chain-10`, 2026-11-22: Millrace 0.1.0 on 2 cores (A processor), 24 GiB, ' +
        'Linux 6.1, Node v24.0.0, Kubernetes v1.36.3, etcd v3.6.6.',
    );
  });

  it('shows what one decision costs, with the command and the machine of that run', () => {
    const rows = [{ name: 'review of a policy', worstMs: 1.44, plainMs: 0.019 }];
    const command = 'npm run bench:costs';
    const { startedAt, machine } = result;
    const page = performancePage({ ...result, costs: { startedAt, command, machine, rows } });
    expect(page).toContain('`npm run bench:costs`, 2026-11-22: Millrace 0.1.0');
    expect(page).toContain('| review of a policy | 1.4 | 0.02 |');
  });

  it('shows how flows advance beside the objects of others, as a ratio to the first phase', () => {
    const row = { samples: 480, p50Ms: 20, beside: 0 };
    const rows = [
      { ...row, name: 'alone', p99Ms: 40 },
      { ...row, name: 'beside a wide flow', p99Ms: 70, beside: 5_000 },
    ];
    const command = 'npm run bench:neighbours';
    const { startedAt, machine } = result;
    const page = performancePage({ ...result, neighbours: { startedAt, command, machine, rows } });
    expect(page).toContain('`npm run bench:neighbours`, 2026-11-22: Millrace 0.1.0');
    expect(page).toContain('| alone | 480 | 20 | 40 | 1.00 | 0 |');
    expect(page).toContain('| beside a wide flow | 480 | 20 | 70 | 1.75 | 5000 |');
  });

  it('shows what the journal costs, and how fast it is replayed', () => {
    const command = 'npm run bench:journal';
    const { startedAt, machine } = result;
    const cost = { steps: 32, records: 2.04, cpuMsWithout: 0.41, cpuMsWith: 0.568 };
    const journal = {
      ...{ startedAt, command, machine },
      costs: [{ ...cost, redisCpuMs: 0.06, redisBytes: 2_940, fullBytes: 41_020 }],
      replays: [{ name: 'a recording', decisionsPerCpuSecond: 12_345.6, decideShare: 0.456 }],
      event: { redisBytes: 512.3, redisCpuMs: 0.0213 },
    };
    const page = performancePage({ ...result, journal });
    expect(page).toContain('`npm run bench:journal`, 2026-11-22: Millrace 0.1.0');
    expect(page).toContain('| 32 | 2.0 | 0.41 | 0.57 | 0.06 | 2.9 | 41.0 |');
    expect(page).toContain('An event takes 512 bytes and 21 microseconds of Redis.');
    expect(page).toContain('| a recording | 12346 | 46 % |');
  });

  it('has a table for each workload, with as many cells in each line', () => {
    const page = performancePage(result);
    const [, section = ''] = page.split('### chain-10\n');
    const lines = section.split('\n').filter((line) => line.startsWith('|'));
    const widths = lines.slice(0, 3).map((line) => line.split('|').length);
    expect(new Set(widths).size).toBe(1);
    expect(lines[2]).toContain('| together | 90 (70 to 90) |');
  });

  it('says why a workload has no figures', () => {
    expect(performancePage(result)).toContain('| together | refused: FlowTooLarge: 2 MiB |');
  });

  it('shows DaemonJobs with the command and the day of their own run', () => {
    const figures = {
      ...{ secondsToLastJob: 2, secondsToLastEnd: 10, requestsPerNode: { 'x: create jobs': 1.04 } },
      ...{ ownCpuMsPerNode: {}, serverCpuMsPerNode: { etcd: 1 }, ownResidentMiB: {} },
    };
    const measured = { workload: 'daemon-10', says: 'ten nodes', nodes: 10, figures };
    const page = performancePage({
      ...result,
      daemons: {
        ...{ startedAt: '2026-11-23T04:00:00.000Z', command: 'npm run bench -- --only daemon-10' },
        machine: result.machine,
        measurements: [{ ...measured, contender: 'null writer' }],
      },
    });
    expect(page).toContain('DaemonJobs: `npm run bench -- --only daemon-10`, 2026-11-23: Millrace');
    const [, section = ''] = page.split('### daemon-10\n');
    const lines = section.split('\n').filter((line) => line.startsWith('|'));
    expect(new Set(lines.slice(0, 3).map((line) => line.split('|').length)).size).toBe(1);
    expect(lines[2]).toMatch(/^\| null writer \| 2\.0 \| 1\.00 \| 10\.0 \| {2}\| {2}\| 1\.04 \|/);
  });

  it('without a result says how figures come about, and that there are none', () => {
    const page = performancePage(undefined);
    expect(page).toContain('## How it is measured');
    expect(page).toContain('None are published');
  });
});
