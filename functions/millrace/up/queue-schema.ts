/**
 * The shapes of `millrace queue list -o json`, one function per line, and of `queue show -o json`, one item per
 * line.
 */
import Type, { type TInteger } from 'typebox';
import { keySchema, text } from '../output-fields.ts';

const count = (description: string): TInteger => Type.Integer({ description });

const ofFunction = text('The name of the function.');

const parkedMembers = {
  key: keySchema,
  cause: text('The id of the event that last asked for it.'),
  uid: text('Of the object.'),
  reason: text('Why it was put aside.'),
  parkedAtMs: Type.Number({ description: 'When, in milliseconds since the epoch.' }),
};

export const queueLineSchema = Type.Union([
  Type.Object(
    {
      function: ofFunction,
      depth: Type.Object(
        {
          waiting: count('Nobody works on them yet.'),
          running: count('They are worked on.'),
          delayed: count('They wait for their time.'),
          parked: count('They were put aside.'),
          oldestWaitMs: Type.Optional(
            Type.Number({
              description: 'How long the item has waited that is next, in milliseconds.',
            }),
          ),
        },
        { description: 'How many items there are.' },
      ),
      parked: Type.Array(Type.Object(parkedMembers), { description: 'What was put aside.' }),
    },
    { description: 'What a function has to do.' },
  ),
  Type.Object({ function: ofFunction, ...parkedMembers }, { description: 'Of show: an item.' }),
]);
