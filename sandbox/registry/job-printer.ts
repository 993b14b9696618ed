/** Rows of Jobs (printJob). */
import type { KubeObject } from '#shared/domain/objects.ts';
import { parseTime } from '#shared/domain/time.ts';
import { humanDuration } from './human-duration.ts';
import { columns, createdAgo, labelText, type Printer } from './printer.ts';

interface JobView {
  readonly spec?: {
    readonly completions?: number;
    readonly parallelism?: number;
    readonly suspend?: boolean;
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: {
      readonly spec?: { readonly containers?: readonly { name?: string; image?: string }[] };
    };
  };
  readonly status?: {
    readonly succeeded?: number;
    readonly startTime?: string;
    readonly completionTime?: string;
    readonly conditions?: readonly { type: string; status: string }[];
  };
}

export const jobPrinter: Printer = {
  columns: columns(
    'Name',
    'Status',
    'Completions',
    'Duration',
    'Age',
    '=Containers',
    '=Images',
    '=Selector',
  ),
  row: (object, nowMs) => {
    const { spec = {} } = object as unknown as JobView;
    const containers = spec.template?.spec?.containers ?? [];
    return [
      object.metadata.name,
      statusText(object),
      completionText(object as unknown as JobView),
      durationText(object as unknown as JobView, nowMs),
      createdAgo(object, nowMs),
      containers.map(({ name = '' }) => name).join(','),
      containers.map(({ image = '' }) => image).join(','),
      labelText(spec.selector?.matchLabels),
    ];
  },
};

function statusText(object: KubeObject): string {
  const { spec = {}, status = {} } = object as unknown as JobView;
  const has = (type: string): boolean =>
    status.conditions?.some((one) => one.type === type && one.status === 'True') === true;
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (object.metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  if (has('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return spec.suspend === true ? 'Suspended' : 'Running';
}

function completionText({ spec = {}, status = {} }: JobView): string {
  const { succeeded = 0 } = status;
  if (spec.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const { parallelism = 0 } = spec;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationText({ status = {} }: JobView, nowMs: number): string {
  const start = parseTime(status.startTime);
  if (start === undefined) return '';
  return humanDuration((parseTime(status.completionTime) ?? nowMs) - start);
}
