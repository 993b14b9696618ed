import { expect, it } from 'vitest';
import type { DaemonFigures, DaemonMeasurement } from './daemon-result.ts';
import { daemonColumns, daemonRowsOf, type DaemonRow } from './daemon-summary.ts';

const figures: DaemonFigures = {
  secondsToLastJob: 2,
  secondsToLastEnd: 10,
  requestsPerNode: { 'bench-driver: create jobs': 1 },
  ownCpuMsPerNode: {},
  serverCpuMsPerNode: { etcd: 1 },
  ownResidentMiB: {},
};

function measured(
  contender: DaemonMeasurement['contender'],
  changes: Partial<DaemonFigures> = {},
): DaemonMeasurement {
  const about = { workload: 'daemon-10', says: 'ten', nodes: 10, contender };
  return { ...about, figures: { ...figures, ...changes } };
}

const cellOf = ({ cells }: DaemonRow, head: string) =>
  cells[daemonColumns.findIndex((column) => column.head === head)];

it('compares the last Job with that of the null writer, and success with the last end of its Jobs', () => {
  const [writer, ours] = daemonRowsOf([
    measured('null writer'),
    measured('null writer', { secondsToLastJob: 4, secondsToLastEnd: 20 }),
    measured('null writer', { secondsToLastJob: 3, secondsToLastEnd: 12 }),
    measured('together', { secondsToLastJob: 6, secondsToSucceed: 18 }),
  ]);
  expect(cellOf(writer!, 's to the last Job')).toBe(3);
  expect(cellOf(writer!, 's to Succeed')).toBeUndefined();
  expect(cellOf(ours!, 'of the null writer')).toBe(2);
  expect(cellOf(ours!, 'of the last end of the null writer')).toBe(1.5);
});

it('nothing is compared where the null writer has no figures, and its fault is reported', () => {
  const broken: DaemonMeasurement = {
    ...{ workload: 'daemon-10', says: 'ten', nodes: 10, contender: 'null writer' },
    fault: 'no servers',
  };
  const [writer, ours] = daemonRowsOf([broken, measured('together')]);
  expect(writer).toMatchObject({ fault: 'no servers' });
  expect(writer?.cells.every((cell) => cell === undefined)).toBe(true);
  expect(cellOf(ours!, 'of the null writer')).toBeUndefined();
  expect(cellOf(ours!, 's to the last Job')).toBe(2);
});

it('adds up the requests and the CPU of all processes', () => {
  const [row] = daemonRowsOf([
    measured('apart', {
      requestsPerNode: { 'daemon-fanout: create jobs': 1, 'bridge: list jobs': 0.1 },
      ownCpuMsPerNode: { bridge: 2, dispatcher: 1 },
    }),
  ]);
  expect(cellOf(row!, 'own requests per node')).toBeCloseTo(1.1);
  expect(cellOf(row!, 'own CPU ms per node')).toBe(3);
});
