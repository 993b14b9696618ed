/** The costliest objects that the API server accepts, one of each kind, each with a plain one. */
import type { ClusterSuspendPolicySpec } from '#shared/api/suspend-policy.ts';
import type { FlowStep } from '#shared/api/job-flow.ts';
import { maxDependencies, maxSteps } from '#shared/api/step.ts';
import type { JsonObject } from '#shared/domain/objects.ts';
import type { LabelSelector } from '#shared/domain/label-selector.ts';

type Schedule = NonNullable<ClusterSuspendPolicySpec['schedule']>;

let made = 0;

/** Schedules with equal content are prepared once, so each of these differs. */
function newName(name: string): string {
  made += 1;
  return `${name}-${made}`;
}

/** Two overlap, so that it is always open. The others change every minute, on days spread over the year. */
const restlessWindows = () => [
  { name: newName('am'), open: '0 0 * * *', close: '0 13 * * *' },
  { name: 'pm', open: '0 12 * * *', close: '0 1 * * *' },
  ...Array.from({ length: 14 }, (_, index) => ({
    name: `minutes-${index}`,
    open: `${index % 2}-59/2 * ${index + 1}-31/${index + 2} */2 ${index % 7}`,
    close: `${(index + 1) % 2}-59/2 * */${index + 2} * *`,
  })),
];

/** As many as the schema allows, without any effect. */
function idleExceptions(): NonNullable<Schedule['exceptions']> {
  const firstMs = Date.UTC(2026, 0, 1);
  const iso = (ms: number) => new Date(ms).toISOString();
  return Array.from({ length: 128 }, (_, index) => ({
    name: `exception-${index}`,
    from: iso(firstMs + index * 7_200_000),
    to: iso(firstMs + index * 7_200_000 + 10_000_000),
    state: 'Open' as const,
  }));
}

/** Every requirement matches, by its last value. */
function wideSelector(labels: JsonObject): LabelSelector {
  return {
    matchLabels: Object.fromEntries(Object.entries(labels).slice(0, 32)) as Record<string, string>,
    matchExpressions: Array.from({ length: 32 }, (_, index) => ({
      key: `key-${index}`,
      operator: 'In' as const,
      values: [...Array.from({ length: 63 }, (__, value) => `other-${value}`), 'last'],
    })),
  };
}

/** Labels of an object or namespace that the worst policy selects. */
export const wideLabels: Readonly<Record<string, string>> = Object.fromEntries(
  Array.from({ length: 32 }, (_, index) => [`key-${index}`, 'last']),
);

const namesOfResources = Array.from({ length: 16 }, (_, index) => `example.com/resource-${index}`);

/** Requests that count for every resource of the worst policy. */
export const wideRequests: Readonly<Record<string, number>> = Object.fromEntries(
  namesOfResources.map((name) => [name, 1]),
);

export function worstPolicy(): ClusterSuspendPolicySpec {
  return {
    selector: wideSelector(wideLabels),
    namespaceSelector: wideSelector(wideLabels),
    schedule: {
      timeZone: 'Africa/Casablanca',
      windows: restlessWindows(),
      exceptions: idleExceptions(),
    },
    capacity: {
      maxJobs: 1_000_000,
      resources: Object.fromEntries(namesOfResources.map((name) => [name, '1000000'])),
    },
  };
}

export function plainPolicy(): ClusterSuspendPolicySpec {
  return {
    selector: { matchLabels: { 'key-0': 'last' } },
    schedule: {
      timeZone: 'Europe/Berlin',
      windows: [{ name: newName('night'), open: '0 20 * * 1-5', close: '0 6 * * 2-6' }],
    },
  };
}

const nameOf = (index: number) => `s${index.toString(36)}`;

/** As many steps and edges as the schema allows: each step depends on the four before it. */
export function worstSteps(): readonly FlowStep[] {
  const each = maxDependencies / maxSteps;
  return Array.from({ length: maxSteps }, (_, index) => ({
    name: nameOf(index),
    jobTemplateRef: 't',
    dependencies: Array.from({ length: Math.min(index, each) }, (__, back) =>
      nameOf(index - back - 1),
    ),
  }));
}

/** As many dependencies as fit into one object. They equal step names except for their last letters. */
export function misspeltSteps(): readonly FlowStep[] {
  const long = (index: number) => `${'step-'.repeat(8)}${String(index).padStart(5, '0')}`;
  return Array.from({ length: maxSteps }, (_, index) => ({
    name: long(index),
    jobTemplateRef: 't',
    dependencies: [`${long(index)}-x`, `${long(index)}-y`, `${long(index)}-z`],
  }));
}

/** The same number of steps in one layer: all may start at once. */
export function widestSteps(): readonly FlowStep[] {
  return Array.from({ length: maxSteps }, (_, index) => ({
    name: nameOf(index),
    jobTemplateRef: 't',
  }));
}

export function plainSteps(): readonly FlowStep[] {
  return ['a', 'b', 'c'].map((name, index, all) => ({
    name,
    jobTemplateRef: 't',
    dependencies: all.slice(0, index),
  }));
}
