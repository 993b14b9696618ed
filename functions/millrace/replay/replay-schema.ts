/**
 * The shapes of `millrace replay -o json`: a line per difference, then the counts; with --deliver a line per item.
 */
import Type, { type Static } from 'typebox';
import type { DeepReadonly } from '#shared/api/deep-readonly.ts';
import type { Json } from '#shared/domain/objects.ts';
import { keySchema, moment, reasonsSchema, text, writesSchema } from '../output-fields.ts';

const head = {
  position: text('Of the decision in the journal.'),
  time: moment('When it was decided.'),
  function: text('The function that decided.'),
  object: keySchema,
};
const differing = {
  path: text('Members and indexes that lead to the first field that differs, joined by dots.'),
  before: Type.Optional(
    Type.Unsafe<Json>({ description: 'Its value then. Absent: there was no such field.' }),
  ),
  after: Type.Optional(
    Type.Unsafe<Json>({ description: 'Its value now. Absent: there is no such field.' }),
  ),
};
const count = (description: string) => Type.Integer({ minimum: 0, description });

const differentDecisionSchema = Type.Object(
  {
    ...head,
    ...differing,
    recorded: reasonsSchema,
    today: reasonsSchema,
  },
  { description: 'A decision that is different today.' },
);

const decidedSoSchema = Type.Object({
  reasons: reasonsSchema,
  writes: writesSchema,
  requeueAt: Type.Optional(moment('When it is decided again without an event.')),
  fault: Type.Optional(text('Why it cannot be decided. Absent: it can.')),
});

const otherDecisionSchema = Type.Object(
  {
    ...head,
    difference: Type.Object(differing),
    before: decidedSoSchema,
    after: decidedSoSchema,
  },
  { description: 'With --what-if: a decision that would have been another one.' },
);

const tallySchema = Type.Object(
  {
    decisions: count('Decisions that were made again.'),
    differences: count('How many of them differ.'),
    cutOff: count('Decisions that cannot be made again: what they stand on was dropped.'),
    unknown: count('Decisions of functions that this version does not have.'),
    decidingMs: Type.Number({ description: 'Milliseconds spent in deciding and comparing.' }),
  },
  { description: 'The last line.' },
);

const whatIfTallySchema = Type.Object(
  {
    decisions: count('Decisions that were looked at.'),
    concerned: count('How many of them stand on an object of the file.'),
    differences: count('How many of these would have been other ones.'),
  },
  { description: 'With --what-if: the last line.' },
);

const deliverySchema = Type.Object(
  {
    function: text('The function that looks again.'),
    object: keySchema,
    event: text('Id of the event that asked for it last.'),
    outcome: text('What became of it, for people.'),
  },
  { description: 'With --deliver: an item.' },
);

export const replayLineSchema = Type.Union([
  differentDecisionSchema,
  tallySchema,
  otherDecisionSchema,
  whatIfTallySchema,
  deliverySchema,
]);

/** Counts, updated during a replay. */
export type Tally = Static<typeof tallySchema>;

export type DecidedSo = DeepReadonly<Static<typeof decidedSoSchema>>;

export type OtherDecisionLine = DeepReadonly<Static<typeof otherDecisionSchema>>;
