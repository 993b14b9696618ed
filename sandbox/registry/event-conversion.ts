/**
 * Events are stored as core Events and served in both groups (pkg/apis/events/v1/conversion.go).
 */
import type { KubeObject } from '#shared/domain/objects.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Name in the core group to name in events.k8s.io. */
const renamed: readonly (readonly [string, string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

export function toCoreEvent(event: KubeObject): KubeObject {
  if (event.apiVersion === 'v1') return withCoreFields(event);
  const names = new Map(renamed.map(([core, other]) => [other, core]));
  return withCoreFields(translated(event, 'v1', names));
}

export function toNewEvent(event: KubeObject): KubeObject {
  if (event.apiVersion !== 'v1') return event;
  const moved = translated(event, 'events.k8s.io/v1', new Map(renamed));
  const { reportingController, reportingInstance, ...rest } = moved as unknown as Fields;
  return {
    ...rest,
    ...(isText(reportingController) ? { reportingController } : {}),
    ...(isText(reportingInstance) ? { reportingInstance } : {}),
  } as unknown as KubeObject;
}

function translated(
  event: KubeObject,
  apiVersion: string,
  names: ReadonlyMap<string, string>,
): KubeObject {
  const entries = Object.entries(event as unknown as Fields);
  const moved = entries.map(([name, value]) => [names.get(name) ?? name, value] as const);
  return { ...Object.fromEntries(moved), apiVersion } as unknown as KubeObject;
}

/** Fields that Go writes even when they are empty. */
export function withWireFields(event: KubeObject): KubeObject {
  return event.apiVersion === 'v1' ? withCoreFields(event) : withNewFields(event);
}

function withNewFields(event: KubeObject): KubeObject {
  const fields = event as unknown as Fields;
  const always = {
    eventTime: null,
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  };
  if (Object.keys(always).every((name) => fields[name] !== undefined)) return event;
  return { ...always, ...event };
}

function withCoreFields(event: KubeObject): KubeObject {
  const fields = event as unknown as Fields;
  const always = {
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: '',
    reportingInstance: '',
  };
  if (Object.keys(always).every((name) => fields[name] !== undefined)) return event;
  return { ...always, ...event };
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}
