/** The status of an AppWrapper: its phase, its conditions and the state of each component. */
import Type from 'typebox';
import { podSetSchema } from './app-wrapper-pod-set.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import { conditionSchema } from './status-fields.ts';

/** In the order in which an AppWrapper passes through them. It has no phase until its first pass. */
export const appWrapperPhases = [
  'Suspended',
  'Resuming',
  'Running',
  'Resetting',
  'Suspending',
  'Succeeded',
  'Failed',
  'Terminating',
] as const;

export type AppWrapperPhase = (typeof appWrapperPhases)[number];

const conditionTypes =
  'QuotaReserved, ResourcesDeployed, PodsReady, Unhealthy and DeletingResources';

/** Merged by type, as in the original controller's definition: each writer owns its conditions. */
const byType = {
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
} as const;

const componentStatusSchema = Type.Object(
  {
    name: Type.String(
      field({ says: 'Name of the resource; empty until it is created.', example: 'sample' }),
    ),
    kind: Type.String(field({ says: 'Kind of the resource.', example: 'Pod' })),
    apiVersion: Type.String(field({ says: 'API version of the resource.', example: 'v1' })),
    podSets: Type.Array(
      podSetSchema,
      field({
        says: 'The podSets of the component, declared or inferred, as they were when Millrace first read the AppWrapper.',
      }),
    ),
    conditions: Type.Optional(
      Type.Array(
        conditionSchema('AppWrapper', 'ResourcesDeployed.', {
          reason: 'ComponentCreatedSuccessfully',
          message: 'Pod sample was created',
        }),
        field({ says: 'ResourcesDeployed: whether the resource exists.' }, byType),
      ),
    ),
  },
  field({ says: 'State of one component.' }),
);

export const appWrapperStatusSchema = Type.Object(
  {
    phase: Type.Optional(
      Type.Unsafe<AppWrapperPhase>(
        Type.String(
          field({
            says: `Phase of the AppWrapper: ${appWrapperPhases.join(', ')}.`,
            example: 'Running',
          }),
        ),
      ),
    ),
    resettingCount: Type.Optional(
      Type.Integer(
        field(
          { says: 'How often the AppWrapper was reset because it failed.', example: '1' },
          { format: 'int32' },
        ),
      ),
    ),
    conditions: Type.Optional(
      Type.Array(
        conditionSchema('AppWrapper', `One of ${conditionTypes}.`, {
          reason: 'SufficientPodsReady',
          message: '2 of 2 Pods run',
        }),
        field(
          {
            says: `${conditionTypes}.`,
            example: 'kubectl wait --for=condition=PodsReady appwrapper/NAME',
          },
          byType,
        ),
      ),
    ),
    componentStatus: Type.Optional(
      Type.Array(
        componentStatusSchema,
        field({ says: 'State of each component, in the order of `spec.components`.' }),
      ),
    ),
  },
  field({ says: 'What happened so far. Written by Millrace only.' }),
);

export type AppWrapperStatus = DeepReadonly<Type.Static<typeof appWrapperStatusSchema>>;
/** The state of one component. */
export type ComponentStatus = DeepReadonly<Type.Static<typeof componentStatusSchema>>;
