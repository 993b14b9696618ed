import { columns, type Growth, type NullWriterSummary, type Row, type Spread } from './summary.ts';

const workloadWidth = 15;
const contenderWidth = 29;
const cellWidth = 9;

export function tableHead(): string {
  const heads = columns.map(({ short }) => short.padStart(cellWidth));
  return ['workload'.padEnd(workloadWidth), 'controller'.padEnd(contenderWidth), ...heads].join('');
}

export function tableLine({ workload, contender, cells, fault }: Row): string {
  const names = workload.padEnd(workloadWidth) + contender.padEnd(contenderWidth);
  if (fault !== undefined) return names + fault;
  const figures = cells.map((cell, index) => cellText(cell, columns[index]?.digits ?? 0));
  return names + figures.map((text) => text.padStart(cellWidth)).join('');
}

export function growthLine({ series, contender, sizes, time, apiServerCpu }: Growth): string {
  return (
    `${series} of ${sizes.join(', ')} steps, ${contender}: time grows with the power ` +
    `${time.toFixed(2)} of the length, CPU of the API server with ${apiServerCpu.toFixed(2)}`
  );
}

/** The spread of the speeds shows how steady the machine was. */
export function nullWriterLine({
  stepsPerSecond: { median, least, most },
  apiServerCpuMsPerStep,
}: NullWriterSummary): string {
  return (
    `null writer: ${median.toFixed(0)} steps/s, from ${least.toFixed(0)} to ${most.toFixed(0)} over ` +
    `the run; ${apiServerCpuMsPerStep.median.toFixed(1)} ms CPU of the API server per step`
  );
}

function cellText(cell: Spread | undefined, digits: number): string {
  return cell === undefined ? '-' : cell.median.toFixed(digits);
}
