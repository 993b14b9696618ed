/** Builders of objects for suspension; a test states only what matters. */
import type { SuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { Manifest } from '../flows/cluster-api.ts';
import { type Work, work } from '../flows/flow-manifest.ts';

export interface JobOptions extends Work {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** A plain Job, which runs until the test ends it. */
export function batchJob(
  name: string,
  { labels, annotations, ...options }: JobOptions = {},
): Manifest {
  const { template, ...spec } = work({ runFor: '1h', ...options });
  const pod = { restartPolicy: 'Never', ...template.spec };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: {
      name,
      ...(labels === undefined ? {} : { labels }),
      ...(annotations === undefined ? {} : { annotations }),
    },
    spec: { ...spec, template: { ...template, spec: pod } },
  };
}

export function suspendPolicy(name: string, spec: SuspendPolicySpec): Manifest {
  return { apiVersion: 'millrace.dev/v1alpha1', kind: 'SuspendPolicy', metadata: { name }, spec };
}

type Schedule = NonNullable<SuspendPolicySpec['schedule']>;

/**
 * Open in these spans of time and closed otherwise. It uses exceptions, because windows open only at
 * full minutes.
 */
export function openDuring(
  ...spans: readonly (readonly [fromMs: number, toMs: number])[]
): Pick<Schedule, 'timeZone' | 'windows' | 'exceptions'> {
  const text = (ms: number) => new Date(ms).toISOString();
  return {
    timeZone: 'Europe/Berlin',
    // A single minute of a leap year.
    windows: [{ name: 'none', open: '0 0 29 2 *', close: '1 0 29 2 *' }],
    exceptions: spans.map(([from, to]) => ({ from: text(from), to: text(to), state: 'Open' })),
  };
}
