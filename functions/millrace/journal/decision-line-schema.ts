/** The shape of `millrace journal -o json`: one decision per line. */
import Type, { type Static } from 'typebox';
import type { DeepReadonly } from '#shared/api/deep-readonly.ts';
import { keySchema, moment, reasonsSchema, text, writesSchema } from '../output-fields.ts';

const ms = (description: string) =>
  Type.Number({ description: `${description}, in milliseconds.` });

export const decisionLineSchema = Type.Object(
  {
    position: text('Of the decision in the journal; sorts as text in the order of the journal.'),
    time: moment('When it was decided.'),
    event: Type.Object(
      {
        id: text('Id of the CloudEvent.'),
        type: Type.Optional(text('Its type. Absent: the journal has dropped the event.')),
        kind: Type.Optional(text('Kind of the object that changed.')),
        namespace: Type.Optional(text('Its namespace; empty for an object of the whole cluster.')),
        name: Type.Optional(text('Its name.')),
      },
      { description: 'The event that led to the decision.' },
    ),
    function: text('The function that decided.'),
    version: text('Version of Millrace that decided.'),
    object: keySchema,
    reasons: reasonsSchema,
    writes: Type.Optional(writesSchema),
    requeueAt: Type.Optional(
      moment('When it is decided again without an event. Absent: when something changes.'),
    ),
    outcome: text(
      'What became of the writes: `applied`, `unchanged`, `gone`, `aborted`, `rejected`, `conflict` or the code of an error.',
    ),
    detail: Type.Optional(
      text('Which write was refused and why, or what the error says. For people.'),
    ),
    durationMs: Type.Object({
      observe: ms('Reading the snapshot'),
      decide: ms('Deciding'),
      apply: ms('Writing'),
    }),
  },
  {
    description:
      'A recorded decision. Without `writes` it cannot be restored: what it stands on was dropped.',
  },
);

export type DecisionLine = DeepReadonly<Static<typeof decisionLineSchema>>;
