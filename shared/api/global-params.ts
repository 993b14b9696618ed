/** `spec.globalParams`: added to every Job and Pod of a flow (rule 7). */
import Type from 'typebox';
import { prefix } from '#shared/domain/labels.ts';
import type { DeepReadonly } from './deep-readonly.ts';
import { field, type CelRule } from './field.ts';
import { jobFlowDefaults } from './job-flow-defaults.ts';
import { envVarSchema } from './preserved.ts';

const reservedKeys: CelRule = {
  rule: `self.all(key, !key.startsWith('${prefix}'))`,
  messageExpression: `"keys that start with ${prefix} are reserved, found " + self.filter(key, key.startsWith('${prefix}'))[0]`,
  message: `keys that start with ${prefix} are reserved`,
};

const validKeys: CelRule = {
  rule: 'self.all(key, !format.qualifiedName().validate(key).hasValue())',
  messageExpression:
    '"\\"" + self.filter(key, format.qualifiedName().validate(key).hasValue())[0] + "\\" is not a qualified name such as example.com/name"',
  message: 'a key is not a qualified name such as example.com/name',
};

const validLabelValues: CelRule = {
  rule: 'self.all(key, !format.labelValue().validate(self[key]).hasValue())',
  messageExpression:
    '"label \\"" + self.filter(key, format.labelValue().validate(self[key]).hasValue())[0] + "\\": a value has at most 63 letters, digits, dashes, underscores and dots, and starts and ends with a letter or digit"',
  message:
    'a label value has at most 63 letters, digits, dashes, underscores and dots, and starts and ends with a letter or digit',
};

/** Additions to every Job and Pod of any kind. On a conflict the `winner` keeps its own value. */
export const commonParams = (winner: 'step' | 'template') => ({
  env: Type.Optional(
    Type.Array(
      envVarSchema,
      field(
        {
          says: 'Environment variables of every container, placed before its own. A container that sets the same name keeps its own value at the position of the global one, so that later global variables can refer to it with $(NAME). It overrides a variable that a container takes from envFrom, because Kubernetes lets env win over envFrom.',
          example: '[{name: FOO, value: bar}]',
        },
        {
          maxItems: 256,
          'x-millrace-unique': ['name'],
        },
      ),
    ),
  ),
  annotations: Type.Optional(
    Type.Record(
      Type.String(),
      Type.String({ maxLength: 32768 }),
      field(
        {
          says: `Annotations of every Job and Pod. A ${winner} that sets the same key keeps its own value.`,
          example: '{team: search}',
        },
        { maxProperties: 64, 'x-millrace-rules': [reservedKeys, validKeys] },
      ),
    ),
  ),
  labels: Type.Optional(
    Type.Record(
      Type.String(),
      Type.String({ maxLength: 63 }),
      field(
        {
          says: `Labels of every Job and Pod. A ${winner} that sets the same key keeps its own value.`,
          example: '{team: search}',
        },
        {
          maxProperties: 64,
          'x-millrace-rules': [reservedKeys, validKeys, validLabelValues],
        },
      ),
    ),
  ),
});

export const globalParamsSchema = Type.Object(
  {
    nodeName: Type.Optional(
      Type.String(
        field(
          {
            says: 'Node on which every Pod of the flow runs; see nodeBinding.',
            example: 'minikube',
          },
          { minLength: 1, maxLength: 253 },
        ),
      ),
    ),
    nodeBinding: Type.Optional(
      Type.Enum(
        ['Affinity', 'Direct'],
        field(
          {
            says: 'How nodeName is applied. Affinity: required node affinity, so that the scheduler still checks resources and a Pod waits while the node is full. Direct: spec.nodeName, past the scheduler; the kubelet of a full node then fails the Pod.',
            example: 'Affinity',
          },
          { default: jobFlowDefaults.nodeBinding },
        ),
      ),
    ),
    ...commonParams('step'),
  },
  field({ says: 'Parameters that every Job and Pod of the flow gets.' }),
);

export type GlobalParams = DeepReadonly<Type.Static<typeof globalParamsSchema>>;
