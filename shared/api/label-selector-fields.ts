/** metav1 LabelSelector with the API server's own rules. */
import Type from 'typebox';
import { field, type CelRule } from './field.ts';

const labelKey = Type.String(
  field(
    { says: 'Key of the label.', example: 'tier' },
    { minLength: 1, maxLength: 317, pattern: '^[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?$' },
  ),
);

const valuesRule: CelRule = {
  rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && size(self.values) > 0 : !has(self.values) || size(self.values) == 0",
  message: 'values are there for In and NotIn, and for no other operator',
};

const labelValue = { maxLength: 63, pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$' };

export const labelSelectorSchema = (says: string) =>
  Type.Object(
    {
      matchLabels: Type.Optional(
        Type.Record(
          Type.String(),
          Type.String(labelValue),
          field(
            { says: 'Labels that it must have, with their values.', example: '{tier: batch}' },
            { maxProperties: 32 },
          ),
        ),
      ),
      matchExpressions: Type.Optional(
        Type.Array(
          Type.Object(
            {
              key: labelKey,
              operator: Type.Enum(
                ['In', 'NotIn', 'Exists', 'DoesNotExist'],
                field({
                  says: 'How the value of the label relates to the values. NotIn and DoesNotExist also hold without the label.',
                  example: 'In',
                }),
              ),
              values: Type.Optional(
                Type.Array(
                  Type.String(labelValue),
                  field(
                    { says: 'Values of In and NotIn.', example: '[batch, etl]' },
                    { maxItems: 64 },
                  ),
                ),
              ),
            },
            field({ says: 'One requirement.' }, { 'x-millrace-rules': [valuesRule] }),
          ),
          field(
            {
              says: 'Further requirements, which must all hold.',
              example: '[{key: tier, operator: In, values: [batch]}]',
            },
            { maxItems: 32 },
          ),
        ),
      ),
    },
    field({ says }),
  );
