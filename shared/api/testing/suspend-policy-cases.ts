import { bad, good, type Loose, type VerdictCase } from './verdict-case.ts';

const apiVersion = 'millrace.dev/v1alpha1';
const policy = (spec: unknown): Loose => ({
  apiVersion,
  kind: 'SuspendPolicy',
  metadata: { name: 'nights' },
  spec,
});
const clusterPolicy = (spec: unknown): Loose => ({
  apiVersion,
  kind: 'ClusterSuspendPolicy',
  metadata: { name: 'nights' },
  spec,
});

const night = { name: 'night', open: '0 20 * * 1-5', close: '0 6 * * 2-6' };
const schedule = { timeZone: 'Europe/Berlin', windows: [night] };
const withSchedule = (extra: Loose): Loose => policy({ schedule: { ...schedule, ...extra } });
const withWindow = (extra: Loose): Loose => withSchedule({ windows: [{ ...night, ...extra }] });
const withException = (exception: Loose): Loose => withSchedule({ exceptions: [exception] });
const withOnClose = (onClose: Loose): Loose => withSchedule({ onClose });
const withCapacity = (capacity: Loose, extra: Loose = {}): Loose => policy({ capacity, ...extra });
const selecting = (requirement: Loose): Loose =>
  policy({ schedule, selector: { matchExpressions: [requirement] } });

const every = {
  selector: {
    matchLabels: { tier: 'batch' },
    matchExpressions: [{ key: 'team', operator: 'In', values: ['a', 'b'] }],
  },
  kinds: ['Job', 'DaemonJob'],
  adopt: 'Both',
  schedule: {
    ...schedule,
    mode: 'SuspendInside',
    exceptions: [
      { name: 'Christmas', date: '2026-12-24', state: 'Open' },
      { from: '2026-12-24T00:00:00+01:00', to: '2026-12-27T00:00:00+01:00', state: 'Closed' },
    ],
    onClose: { action: 'SuspendAfter', afterSeconds: 900, warnSeconds: 300 },
  },
  capacity: { maxJobs: 20, resources: { cpu: '200', memory: '800Gi', 'nvidia.com/gpu': 8 } },
  order: { priorityFrom: 'label:batch/priority', strategy: 'BestEffortFIFO' },
  fairness: { agingSeconds: 600, maxWaitSeconds: 86400, groupBy: 'label:example.com/team' },
  preemption: { mode: 'LowerPriority', minRunSeconds: 1800 },
  precedence: 100,
  onResume: {
    placement: {
      nodeSelector: { pool: 'spot' },
      tolerations: [{ key: 'spot', operator: 'Exists', effect: 'NoSchedule' }],
      nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [] },
    },
  },
  onDelete: 'Leave',
  dryRun: true,
};

export const goodSuspendPolicyCases: readonly VerdictCase[] = [
  good('a suspend policy with nothing but a window', policy({ schedule })),
  good('a suspend policy with nothing but a capacity', withCapacity({ maxJobs: 0 })),
  good('every field of a SuspendPolicy', policy(every)),
  good(
    'every field of a ClusterSuspendPolicy',
    clusterPolicy({ ...every, namespaceSelector: { matchLabels: { team: 'a' } } }),
  ),
  good('a time zone of three parts', withSchedule({ timeZone: 'America/Argentina/Ushuaia' })),
  ...['UTC', 'GMT', 'EST', 'Japan'].map((timeZone) =>
    good(`the time zone ${timeZone}`, withSchedule({ timeZone })),
  ),
  ...['@daily', '0 20 ? * *', '0/30 * * * *', ' 0  20 * * * '].map((open) =>
    good(`a window that opens at ${JSON.stringify(open)}, as a CronJob does`, withWindow({ open })),
  ),
  good(
    'a schedule of exceptions alone',
    policy({
      schedule: { timeZone: 'UTC', exceptions: [{ date: '2026-12-25', state: 'Closed' }] },
    }),
  ),
  good('a window by the names of days', withWindow({ open: '*/30 20-22 * JAN-MAR MON-FRI' })),
  good('a closing that lets work finish', withOnClose({ action: 'LetFinish' })),
  good('a requirement without values', selecting({ key: 'tier', operator: 'Exists' })),
  good('a policy of LocalQueues with a window', policy({ schedule, kinds: ['Job', 'LocalQueue'] })),
  good('a capacity of resources', withCapacity({ resources: { cpu: 1 } })),
];

export const badSuspendPolicyCases: readonly VerdictCase[] = [
  bad('a suspend policy that does nothing', 'spec', policy({})),
  bad('a capacity that limits nothing', 'spec.capacity', withCapacity({})),
  bad('a negative number of Jobs', 'spec.capacity.maxJobs', withCapacity({ maxJobs: -1 })),
  bad(
    'a capacity that is no quantity',
    'spec.capacity.resources.cpu',
    withCapacity({ resources: { cpu: 'many' } }),
  ),
  bad('an empty list of windows', 'spec.schedule.windows', withSchedule({ windows: [] })),
  bad(
    'a schedule without windows and exceptions',
    'spec.schedule',
    policy({ schedule: { timeZone: 'UTC', exceptions: [] } }),
  ),
  bad(
    'a schedule without a time zone',
    'spec.schedule.timeZone',
    policy({ schedule: { windows: [night] } }),
  ),
  bad('a window without a closing', 'spec.schedule.windows[0].close', withWindow({ close: null })),
  bad(
    'two windows of one name',
    'spec.schedule.windows[1]',
    withSchedule({ windows: [night, night] }),
  ),
  bad('an unknown mode', 'spec.schedule.mode', withSchedule({ mode: 'RunOutside' })),
  bad(
    'an exception without a time',
    'spec.schedule.exceptions[0]',
    withException({ state: 'Open' }),
  ),
  bad(
    'an exception that ends before it begins',
    'spec.schedule.exceptions[0]',
    withException({ from: '2026-12-27T00:00:00Z', to: '2026-12-24T00:00:00Z', state: 'Open' }),
  ),
  bad(
    'an exception with a date and a time',
    'spec.schedule.exceptions[0]',
    withException({ date: '2026-12-24', from: '2026-12-27T00:00:00Z', state: 'Open' }),
  ),
  bad(
    'an exception that is neither open nor closed',
    'spec.schedule.exceptions[0].state',
    withException({ date: '2026-12-24', state: 'Ajar' }),
  ),
  bad(
    'a grace without its length',
    'spec.schedule.onClose',
    withOnClose({ action: 'SuspendAfter' }),
  ),
  bad('a length without a grace', 'spec.schedule.onClose', withOnClose({ afterSeconds: 60 })),
  bad(
    'a warning before the grace begins',
    'spec.schedule.onClose',
    withOnClose({ action: 'SuspendAfter', afterSeconds: 60, warnSeconds: 61 }),
  ),
  ...[{ capacity: { maxJobs: 1 } }, { onResume: {} }, { adopt: 'Suspended' }].map((extra) =>
    bad(
      `a policy of LocalQueues with ${Object.keys(extra).join()}`,
      'spec',
      policy({ schedule, kinds: ['Job', 'LocalQueue'], ...extra }),
    ),
  ),
  bad('an unknown kind', 'spec.kinds[0]', policy({ schedule, kinds: ['CronJob'] })),
  bad('one kind twice', 'spec.kinds[1]', policy({ schedule, kinds: ['Job', 'Job'] })),
  bad('an unknown adoption', 'spec.adopt', policy({ schedule, adopt: 'All' })),
  bad(
    'a requirement that lacks its values',
    'spec.selector.matchExpressions[0]',
    selecting({ key: 'tier', operator: 'In' }),
  ),
  bad(
    'a requirement with values that it does not take',
    'spec.selector.matchExpressions[0]',
    selecting({ key: 'tier', operator: 'Exists', values: ['batch'] }),
  ),
  bad(
    'a priority from nowhere',
    'spec.order.priorityFrom',
    withCapacity({ maxJobs: 1 }, { order: { priorityFrom: 'age' } }),
  ),
  bad(
    'aging in no time',
    'spec.fairness.agingSeconds',
    withCapacity({ maxJobs: 1 }, { fairness: { agingSeconds: 0 } }),
  ),
  bad(
    'groups of nothing',
    'spec.fairness.groupBy',
    withCapacity({ maxJobs: 1 }, { fairness: { groupBy: 'namespace' } }),
  ),
  bad(
    'a namespace selector of a SuspendPolicy',
    'spec.namespaceSelector',
    policy({ schedule, namespaceSelector: {} }),
  ),
];

/**
 * Faults that neither schema nor CEL can see. suspend-admission refuses them, or the status reports
 * them.
 */
export const calendarCases: readonly VerdictCase[] = [
  ...['Local', '', 'PST', '+01:00', 'Europe/Berlin ', 'Mars/Base'].map((timeZone) =>
    bad(
      `the time zone ${JSON.stringify(timeZone)}`,
      'spec.schedule.timeZone',
      withSchedule({ timeZone }),
    ),
  ),
  ...['0 0 20 * * 1-5', '@every 1h', '0 0 1 1-13 *', ''].map((open) =>
    bad(
      `a window that opens at ${JSON.stringify(open)}`,
      'spec.schedule.windows[0].open',
      withWindow({ open }),
    ),
  ),
  bad(
    'a date that is none',
    'spec.schedule.exceptions[0]',
    withException({ date: 'Christmas', state: 'Open' }),
  ),
  bad(
    'a window that opens on a day that never comes',
    'spec.schedule.windows[0]',
    withWindow({ open: '0 0 31 2 *' }),
  ),
  bad(
    'a window that closes whenever it opens',
    'spec.schedule.windows[0]',
    withWindow({ open: '0 20 * * 1', close: '0 20 * * *' }),
  ),
  bad(
    'a minute that no hour has',
    'spec.schedule.windows[0].open',
    withWindow({ open: '61 20 * * 1-5' }),
  ),
  bad(
    'a date that no calendar has',
    'spec.schedule.exceptions[0]',
    withException({ date: '2026-02-30', state: 'Open' }),
  ),
];
