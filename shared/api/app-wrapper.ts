/**
 * AppWrapper: resources of any kind, queued and run as one. Group, fields and columns are those of the original
 * controller (github.com/project-codeflare/appwrapper v1.2.2), so that its manifests apply unchanged. Except that
 * `spec` is required, the schema adds no bound or rule to the original. Admission checks what a schema cannot.
 */
import Type from 'typebox';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { JsonObject, KubeObject, ObjectMeta } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { componentPodSetInfoSchema, podSetSchema, stringMap } from './app-wrapper-pod-set.ts';
import {
  appWrapperPhases,
  appWrapperStatusSchema,
  type AppWrapperStatus,
} from './app-wrapper-status.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import type { KindDefinition } from './kind-definition.ts';
import { latestTransition, type PublishedState } from './published-states.ts';
import { ageColumn } from './printer-columns.ts';

export {
  type AppWrapperPhase,
  type AppWrapperStatus,
  type ComponentStatus,
} from './app-wrapper-status.ts';
export { type AppWrapperPodSet, type ComponentPodSetInfo } from './app-wrapper-pod-set.ts';

/** A resource as its author wrote it. The API server has checked that both fields are present. */
export type WrappedResource = JsonObject & { readonly apiVersion: string; readonly kind: string };

const componentSchema = Type.Object(
  {
    template: Type.Unsafe<WrappedResource>({
      type: 'object',
      ...field(
        {
          says: 'The resource that is created. It has apiVersion and kind; its namespace is that of the AppWrapper. It cannot be changed later.',
          example:
            '{apiVersion: v1, kind: Pod, metadata: {name: sample}, spec: {containers: [{name: main, image: "busybox:1.28"}]}}',
        },
        {
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
      ),
    }),
    podSets: Type.Optional(
      Type.Array(
        podSetSchema,
        field({
          says: 'The Pods that the resource makes, for Kueue. For kinds that Millrace knows, it infers them if they are absent, and otherwise checks them. They cannot be changed later.',
          example: '[{path: template.spec.template, replicas: 2}]',
        }),
      ),
    ),
    podSetInfos: Type.Optional(
      Type.Array(
        componentPodSetInfoSchema,
        field({
          says: 'Written when Kueue admits the AppWrapper and removed when the admission ends: what the Pods of each podSet get, in the order of the podSets.',
          example: '[{nodeSelector: {pool: spot}}]',
        }),
      ),
    ),
    annotations: Type.Optional(
      stringMap('Notes of the author, which Millrace ignores.', '{team: a}'),
    ),
  },
  field({ says: 'One wrapped resource.' }),
);

const appWrapperSpecSchema = Type.Object(
  {
    components: Type.Array(
      componentSchema,
      field({ says: 'The wrapped resources, in the order in which they are created.' }),
    ),
    suspend: Type.Optional(
      Type.Boolean(
        field({
          says: 'While true nothing of the AppWrapper is deployed. Kueue sets it to false. May be changed at any time.',
          absentMeans: 'false',
          example: 'true',
        }),
      ),
    ),
    managedBy: Type.Optional(
      Type.String(
        field({
          says: 'The controller that runs the AppWrapper. Millrace leaves it alone unless this is absent or workload.codeflare.dev/appwrapper-controller. It cannot be changed later.',
          example: 'kueue.x-k8s.io/multikueue',
        }),
      ),
    ),
  },
  field({ says: 'The resources to deploy.' }),
);

export type AppWrapperSpec = DeepReadonly<Type.Static<typeof appWrapperSpecSchema>>;
/** One wrapped resource. */
export type Component = AppWrapperSpec['components'][number];

export interface AppWrapper {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: AppWrapperSpec;
  readonly status?: AppWrapperStatus;
}

const statusOf = (condition: string) => `.status.conditions[?(@.type=="${condition}")].status`;

/** Quota and deployment of its resources change with every phase except those of a reset. */
function phaseOf({ status }: KubeObject): readonly PublishedState[] {
  const { phase, conditions, resettingCount = 0 } = fieldsOf(status) as AppWrapperStatus;
  if (phase === undefined) return [];
  const time = latestTransition(conditions, ['QuotaReserved', 'ResourcesDeployed']);
  return [
    {
      state: phase,
      occasion: [resettingCount, time ?? ''].join('.'),
      ...(time === undefined ? {} : { time }),
      says: { resettingCount },
    },
  ];
}

export const appWrapperKind: KindDefinition = {
  resource: resources.AppWrapper,
  shortNames: ['aw'],
  says: 'An AppWrapper is a group of resources of any kind that is queued, run and deleted as one.',
  spec: appWrapperSpecSchema,
  status: appWrapperStatusSchema,
  published: { states: appWrapperPhases, of: phaseOf },
  rules: [],
  selectableFields: [],
  columns: [
    { name: 'Status', type: 'string', jsonPath: '.status.phase', says: 'Phase of the AppWrapper' },
    {
      name: 'Quota Reserved',
      type: 'string',
      jsonPath: statusOf('QuotaReserved'),
      says: 'Whether it has quota',
    },
    {
      name: 'Resources Deployed',
      type: 'string',
      jsonPath: statusOf('ResourcesDeployed'),
      says: 'Whether its resources are deployed',
    },
    {
      name: 'Unhealthy',
      type: 'string',
      jsonPath: statusOf('Unhealthy'),
      says: 'Whether something of it has failed',
    },
    ageColumn,
  ],
};
