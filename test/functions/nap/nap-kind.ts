/** A kind of work for tests: a Nap is a Job that sleeps. */
import Type from 'typebox';
import { field } from '#shared/api/field.ts';
import type { KindDefinition } from '#shared/api/kind-definition.ts';
import type { PodTemplate } from '#shared/api/pod-template.ts';
import { countsActive, isInFinalState } from '#shared/api/work/progress.ts';
import { describedTemplate } from '#shared/api/work/queueing/described-template.ts';
import type { Queueing } from '#shared/api/work/queueing/queueing.ts';
import { bySuspend } from '#shared/api/work/switches.ts';
import type { WorkKind } from '#shared/api/work/work-kind.ts';
import type { Json, JsonObject, NewObject, Resource } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';

export const Nap: Resource = {
  group: 'test.millrace.dev',
  version: 'v1',
  plural: 'naps',
  kind: 'Nap',
  namespaced: true,
};

export const napKind: KindDefinition = {
  resource: Nap,
  shortNames: [],
  says: 'A Nap sleeps for some seconds.',
  spec: Type.Object(
    {
      seconds: Type.Integer(field({ says: 'How long it sleeps.' })),
      suspend: Type.Optional(Type.Boolean(field({ says: 'Whether it is held.' }))),
    },
    field({ says: 'How it sleeps.' }),
  ),
  status: Type.Object(
    {
      state: Type.Optional(Type.String(field({ says: 'What became of it.' }))),
      active: Type.Optional(Type.Integer(field({ says: 'How many Pods sleep.' }))),
    },
    field({ says: 'How far it is.' }),
  ),
  rules: [],
  selectableFields: [],
  columns: [],
};

const longest = 3_600;

/** One Pod. It does not end by itself. */
const queueing: Queueing = {
  podSets: (nap) => {
    const { template } = jobOf(nap as unknown as JsonObject, {}).spec as { template: PodTemplate };
    const podSet = { name: 'main', count: 1, template: describedTemplate(template) };
    return { kind: 'podSets', podSets: [podSet] };
  },
  isActive: ({ status = {} }) => countsActive(status as JsonObject),
  endOf: () => undefined,
  arePodsReady: ({ status = {} }) => countsActive(status as JsonObject),
  reclaimable: () => [],
  place: () => ({}),
  takeBack: () => ({}),
  restsOn: ({ status = null }) => status as Json,
  jobs: { podSetOf: () => 'main' },
};

export const napWork: WorkKind = {
  resource: Nap,
  isOurs: true,
  isQueued: true,
  queueing,
  suspension: {
    ...bySuspend,
    hasEnded: ({ status }) => isInFinalState(status),
    isActive: ({ status }) => countsActive(status),
  },
  submission: {
    creates: resources.Job,
    faults: (nap) =>
      secondsOf(nap) > longest
        ? [{ path: 'spec.seconds', message: `a Nap lasts ${longest} s at most` }]
        : [],
    children: (nap) => {
      const { name, namespace } = nap['metadata'] as { readonly [field: string]: string };
      const job = jobOf(nap, { name: `${name}-nap`, namespace });
      return { children: [{ of: 'the Job', job }], faults: [] };
    },
  },
};

function secondsOf({ spec }: JsonObject): number {
  return (spec as { readonly seconds: number }).seconds;
}

/** The sleeping Job, with these metadata. */
export function jobOf(nap: JsonObject, metadata: object): NewObject {
  const container = { name: 'nap', image: 'busybox:1.28', command: ['sleep', `${secondsOf(nap)}`] };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  return { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template } } as NewObject;
}
