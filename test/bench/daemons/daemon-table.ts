import { daemonColumns, type DaemonRow } from './daemon-summary.ts';

const workloadWidth = 13;
const contenderWidth = 13;
const cellWidth = 9;

export function daemonTableHead(): string {
  const heads = daemonColumns.map(({ short }) => short.padStart(cellWidth));
  return ['workload'.padEnd(workloadWidth), 'contender'.padEnd(contenderWidth), ...heads].join('');
}

export function daemonTableLine({ workload, contender, cells, fault }: DaemonRow): string {
  const names = workload.padEnd(workloadWidth) + contender.padEnd(contenderWidth);
  if (fault !== undefined) return names + fault;
  const texts = cells.map((cell, index) =>
    (cell?.toFixed(daemonColumns[index]?.digits) ?? '-').padStart(cellWidth),
  );
  return names + texts.join('');
}
