/** The published rows for DaemonJobs: one for each workload and contender, over all repeats. */
import { percentile } from '../percentile.ts';
import type { DaemonContenderName, DaemonFigures, DaemonMeasurement } from './daemon-result.ts';

export interface DaemonRow {
  readonly workload: string;
  readonly says: string;
  readonly contender: DaemonContenderName;
  /** The median of the repeats for each column; undefined if the column does not apply. */
  readonly cells: readonly (number | undefined)[];
  readonly fault?: string;
}

interface DaemonColumn {
  readonly head: string;
  /** For a terminal. */
  readonly short: string;
  readonly digits: number;
  /** `writer`: the null writer's median for the same figure, if it ran this workload. */
  readonly value: (figures: DaemonFigures, writer: Writer | undefined) => number | undefined;
}

type Writer = Pick<DaemonFigures, 'secondsToLastJob' | 'secondsToLastEnd'>;

const total = (parts: Readonly<Record<string, number>>): number =>
  Object.values(parts).reduce((sum, part) => sum + part, 0);
const ratio = (ours: number | undefined, theirs: number | undefined): number | undefined =>
  ours === undefined || theirs === undefined ? undefined : ours / theirs;

export const daemonColumns: readonly DaemonColumn[] = [
  {
    head: 's to the last Job',
    short: 'jobs s',
    digits: 1,
    value: ({ secondsToLastJob }) => secondsToLastJob,
  },
  {
    head: 'of the null writer',
    short: '/writer',
    digits: 2,
    value: ({ secondsToLastJob }, writer) => ratio(secondsToLastJob, writer?.secondsToLastJob),
  },
  {
    head: 's to the last end',
    short: 'ends s',
    digits: 1,
    value: ({ secondsToLastEnd }) => secondsToLastEnd,
  },
  {
    head: 's to Succeed',
    short: 'succ s',
    digits: 1,
    value: ({ secondsToSucceed }) => secondsToSucceed,
  },
  {
    head: 'of the last end of the null writer',
    short: '/writer',
    digits: 2,
    value: ({ secondsToSucceed }, writer) => ratio(secondsToSucceed, writer?.secondsToLastEnd),
  },
  {
    head: 'own requests per node',
    short: 'req',
    digits: 2,
    value: ({ requestsPerNode }) => total(requestsPerNode),
  },
  {
    head: 'status at the end, KB',
    short: 'stat KB',
    digits: 1,
    value: ({ status }) => (status === undefined ? undefined : status.atEnd / 1000),
  },
  {
    head: 'largest status, KB',
    short: 'most KB',
    digits: 1,
    value: ({ status }) => (status === undefined ? undefined : status.most / 1000),
  },
  {
    head: 'status writes, KB',
    short: 'sent KB',
    digits: 0,
    value: ({ status }) => (status === undefined ? undefined : status.sent / 1000),
  },
  {
    head: 'own CPU ms per node',
    short: 'own ms',
    digits: 1,
    value: ({ ownCpuMsPerNode }) =>
      Object.keys(ownCpuMsPerNode).length === 0 ? undefined : total(ownCpuMsPerNode),
  },
  ...(
    [
      ['kube-apiserver', 'api ms'],
      ['kube-controller-manager', 'kcm ms'],
      ['kube-scheduler', 'sched ms'],
      ['kwok', 'kwok ms'],
      ['etcd', 'etcd ms'],
      ['Redis', 'redis ms'],
    ] as const
  ).map(([server, short]): DaemonColumn => ({
    head: `${server} CPU ms per node`,
    short,
    digits: 1,
    value: ({ serverCpuMsPerNode }) => serverCpuMsPerNode[server],
  })),
  {
    head: 'own memory, MiB',
    short: 'MiB',
    digits: 0,
    value: ({ ownResidentMiB }) =>
      Object.keys(ownResidentMiB).length === 0 ? undefined : total(ownResidentMiB),
  },
];

/** In the order of their first measurement. */
export function daemonRowsOf(all: readonly DaemonMeasurement[]): readonly DaemonRow[] {
  const groups = Map.groupBy(all, ({ workload, contender }) => `${workload}, ${contender}`);
  return [...groups.values()].map((repeats) => {
    const { workload, says, contender } = repeats[0]!;
    const figures = figuresOf(repeats);
    const writer = writerOf(all, workload);
    const [fault] = repeats.flatMap((each) => each.fault ?? []);
    return {
      ...{ workload, says, contender },
      cells: daemonColumns.map(({ value }) => median(figures.map((each) => value(each, writer)))),
      ...(fault === undefined ? {} : { fault }),
    };
  });
}

function writerOf(all: readonly DaemonMeasurement[], workload: string): Writer | undefined {
  const its = all.filter((each) => each.workload === workload && each.contender === 'null writer');
  const figures = figuresOf(its);
  const secondsToLastJob = median(figures.map((each) => each.secondsToLastJob));
  const secondsToLastEnd = median(figures.map((each) => each.secondsToLastEnd));
  if (secondsToLastJob === undefined || secondsToLastEnd === undefined) return undefined;
  return { secondsToLastJob, secondsToLastEnd };
}

function figuresOf(measurements: readonly DaemonMeasurement[]): readonly DaemonFigures[] {
  return measurements.flatMap(({ figures }) => figures ?? []);
}

function median(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : percentile(known, 0.5);
}
