/** SuspendPolicy and ClusterSuspendPolicy: when work may run. The schema is the single source. */
import Type from 'typebox';
import { fieldsOf } from '#shared/domain/json-value.ts';
import type { KubeObject, ObjectMeta } from '#shared/domain/objects.ts';
import { resources } from '#shared/domain/resources.ts';
import { capacityFields } from './capacity-fields.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field, type CelRule } from './field.ts';
import type { KindDefinition } from './kind-definition.ts';
import { labelSelectorSchema } from './label-selector-fields.ts';
import { placementSchema } from './placement-fields.ts';
import { scheduleSchema } from './schedule-fields.ts';
import {
  policyStates,
  suspendPolicyStatusSchema,
  type SuspendPolicyStatus,
} from './suspend-policy-status.ts';
import { pick, type PublishedState } from './published-states.ts';
import { governedByDefault, governedKinds, queueKinds } from './work/governed-kinds.ts';
import { ageColumn } from './printer-columns.ts';

export { type SuspendPolicyStatus } from './suspend-policy-status.ts';

/** The API server's defaults. A reader that may see an object without them uses the same values. */
export const suspendPolicyDefaults = {
  overrides: 'Allow',
  kinds: governedByDefault,
  adopt: 'Running',
  precedence: 0,
  onDelete: 'Restore',
  dryRun: false,
} as const;

const kindNames = governedKinds.map(({ resource }) => resource.kind);
export const roomIsKueues =
  'a policy of LocalQueues has no capacity, no onResume and no adopt but Running: Kueue says who gets room and where';
const aboutKinds = governedKinds.flatMap(({ suspension }) => suspension.says ?? []);

const doesSomething: CelRule = {
  rule: 'has(self.schedule) || has(self.capacity)',
  message: 'a policy has a schedule, a capacity, or both',
};

const leavesRoomToKueue: CelRule = {
  rule: [
    `!has(self.kinds) || ${queueKinds.map((kind) => `!('${kind}' in self.kinds)`).join(' && ')}`,
    "!has(self.capacity) && !has(self.onResume) && (!has(self.adopt) || self.adopt == 'Running')",
  ].join(' || '),
  message: roomIsKueues,
};

const specFields = {
  selector: Type.Optional(
    labelSelectorSchema('Which objects it governs, by their labels. Absent: all.'),
  ),
  kinds: Type.Optional(
    Type.Array(
      Type.Enum(kindNames, field({ says: 'A kind that is governed.' })),
      field(
        {
          says: [
            'Kinds of the objects that it governs. Objects that belong to a JobFlow, a DaemonJob, an AppWrapper or another controller are never governed by themselves.',
            ...aboutKinds,
          ].join(' '),
          example: '[Job]',
        },
        {
          default: [...suspendPolicyDefaults.kinds],
          minItems: 1,
          maxItems: kindNames.length,
          'x-millrace-unique': [],
        },
      ),
    ),
  ),
  adopt: Type.Optional(
    Type.Enum(
      ['Running', 'Suspended', 'Both'],
      field(
        {
          says: 'Which objects the policy starts and stops. Running: objects submitted to run; those that others suspended stay suspended. Suspended: objects submitted suspended that have never run; they start when they may. Both.',
          example: 'Suspended',
        },
        { default: suspendPolicyDefaults.adopt },
      ),
    ),
  ),
  schedule: Type.Optional(scheduleSchema),
  ...capacityFields,
  precedence: Type.Optional(
    Type.Integer(
      field(
        {
          says: 'If several policies select an object, the one with the highest precedence decides. Among equals a policy that holds it wins, then the first by kind, namespace and name.',
          example: '100',
        },
        {
          default: suspendPolicyDefaults.precedence,
          minimum: -1_000_000,
          maximum: 1_000_000,
          format: 'int32',
        },
      ),
    ),
  ),
  onResume: Type.Optional(
    Type.Object(
      { placement: Type.Optional(placementSchema) },
      field({ says: 'Further changes to a Job when it is resumed.' }),
    ),
  ),
  onDelete: Type.Optional(
    Type.Enum(
      ['Restore', 'Leave'],
      field(
        {
          says: 'What happens to held objects when the policy is deleted. Restore: they are resumed. Leave: they stay suspended.',
          example: 'Leave',
        },
        { default: suspendPolicyDefaults.onDelete },
      ),
    ),
  ),
  dryRun: Type.Optional(
    Type.Boolean(
      field(
        {
          says: 'The policy only reports in its status what it would do. Objects that it already holds stay held.',
          example: 'true',
        },
        { default: suspendPolicyDefaults.dryRun },
      ),
    ),
  ),
};

const rules = { 'x-millrace-rules': [doesSomething, leavesRoomToKueue] };

const suspendPolicySpecSchema = Type.Object(
  specFields,
  field({ says: 'When which objects of the namespace may run.' }, rules),
);

const clusterSuspendPolicySpecSchema = Type.Object(
  {
    namespaceSelector: Type.Optional(
      labelSelectorSchema(
        'In which namespaces, by their labels. Absent: in all. The namespaces kube-system, kube-public, kube-node-lease and that of Millrace are left out unless this names them by the label kubernetes.io/metadata.name (matchLabels, or In of matchExpressions).',
      ),
    ),
    overrides: Type.Optional(
      Type.Enum(
        ['Allow', 'Forbid'],
        field(
          {
            says: 'Whether users may make exceptions for single objects. Forbid: the annotation millrace.dev/suspend-override has no effect, and objects that a user resumes by hand are suspended again.',
            example: 'Forbid',
          },
          { default: suspendPolicyDefaults.overrides },
        ),
      ),
    ),
    ...specFields,
  },
  field({ says: 'When which objects of the cluster may run.' }, rules),
);

export type SuspendPolicySpec = DeepReadonly<Type.Static<typeof suspendPolicySpecSchema>>;
export type ClusterSuspendPolicySpec = DeepReadonly<
  Type.Static<typeof clusterSuspendPolicySpecSchema>
>;

/** An object of either kind. */
export interface SuspendPolicy {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly spec: ClusterSuspendPolicySpec;
  readonly status?: SuspendPolicyStatus;
}

const columns: KindDefinition['columns'] = [
  { name: 'Status', type: 'string', jsonPath: '.status.state', says: 'Whether work may run' },
  ...(
    [
      ['Next', 'string', '.status.nextTransition', 'When that changes'],
      ['Selected', 'integer', '.status.selected', 'Objects that it governs'],
      ['Running', 'integer', '.status.running', 'Those that may run'],
      ['Held', 'integer', '.status.held', 'Those that it holds'],
      [
        'Overridden',
        'integer',
        '.status.overridden',
        'Those with an exception, by hand or by annotation',
      ],
      ['Message', 'string', '.status.message', 'Why it is in this state'],
    ] as const
  ).map(([name, type, jsonPath, says]) => ({ name, type, jsonPath, says, wide: true })),
  ageColumn,
];

function stateOfPolicy({ status }: KubeObject): readonly PublishedState[] {
  const { state, lastTransition: time, ...others } = fieldsOf(status) as SuspendPolicyStatus;
  if (state === undefined) return [];
  return [
    {
      state,
      occasion: time ?? '',
      ...(time === undefined ? {} : { time }),
      says: pick(others, ['windows', 'nextTransition', 'reason', 'message']),
    },
  ];
}

export const suspendPolicyKind: KindDefinition = {
  resource: resources.SuspendPolicy,
  shortNames: ['msp'],
  says: 'A SuspendPolicy says when Jobs, JobFlows, DaemonJobs and AppWrappers of its namespace may run, and how many at once.',
  spec: suspendPolicySpecSchema,
  status: suspendPolicyStatusSchema,
  published: { states: policyStates, of: stateOfPolicy },
  rules: [],
  selectableFields: ['.status.state'],
  columns,
};

export const clusterSuspendPolicyKind: KindDefinition = {
  ...suspendPolicyKind,
  resource: resources.ClusterSuspendPolicy,
  shortNames: ['mcsp'],
  says: 'A ClusterSuspendPolicy says when Jobs, JobFlows, DaemonJobs and AppWrappers of many namespaces may run, and how many at once.',
  spec: clusterSuspendPolicySpecSchema,
};
