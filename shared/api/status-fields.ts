/** Fields that occur in the status of every kind. */
import Type from 'typebox';
import { field } from './field.ts';

export const time = (says: string) =>
  Type.String(field({ says, example: '2026-11-21T10:00:00Z' }, { format: 'date-time' }));
export const text = (says: string, example: string, maxLength = 1024) =>
  Type.String(field({ says, example }, { maxLength }));
export const count = (says: string, example: string) =>
  Type.Integer(field({ says, example }, { format: 'int32', minimum: 0 }));
export const generation = (says: string) =>
  Type.Integer(field({ says, example: '1' }, { format: 'int64', minimum: 0 }));

/** metav1 Condition. `types` is a sentence that lists the object's types. */
export const conditionSchema = (
  object: string,
  types: string,
  examples = { reason: 'AllStepsSucceeded', message: 'all 5 steps succeeded' },
) =>
  Type.Object(
    {
      type: Type.String(
        field(
          {
            says: types,
            example: 'Complete',
          },
          { minLength: 1, maxLength: 316 },
        ),
      ),
      status: Type.Enum(
        ['True', 'False', 'Unknown'],
        field({ says: 'Whether the condition holds.', example: '"True"' }),
      ),
      reason: Type.String(
        field(
          { says: 'Why, as one CamelCase word for programs.', example: examples.reason },
          { minLength: 1, maxLength: 1024, pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$' },
        ),
      ),
      message: text('Why, for people.', examples.message, 32768),
      lastTransitionTime: time('When status last changed.'),
      observedGeneration: Type.Optional(
        generation(`Generation of the ${object} that the condition describes.`),
      ),
    },
    field({ says: 'One condition, as metav1 Condition.' }),
  );
