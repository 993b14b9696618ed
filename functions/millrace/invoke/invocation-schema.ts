/** The shapes of `millrace invoke -o json`: the result of an event, or with --dry-run the request. */
import Type, { type Static } from 'typebox';
import type { DeepReadonly } from '#shared/api/deep-readonly.ts';
import { keySchema, text } from '../output-fields.ts';
import { exitCodeOf, type OutcomeWord } from './outcome.ts';

const verdicts = Object.keys(exitCodeOf) as OutcomeWord[];

const answerSchema = Type.Object(
  {
    function: text('The function that the event was sent to.'),
    object: Type.Optional(keySchema),
    event: Type.Optional(text('The id of the event. Absent: what was given has none.')),
    verdict: Type.Enum(verdicts, { description: 'What became of it.' }),
    afterMs: Type.Optional(
      Type.Number({ description: 'Of `requeued`: when the function looks again, milliseconds.' }),
    ),
    detail: Type.Optional(text('Why; with the status of the answer before it.')),
    next: Type.Optional(text('One command to run, or one thing to do.')),
  },
  { description: 'What a function made of the event.' },
);

const requestSchema = Type.Object(
  {
    method: Type.Literal('POST'),
    url: text('Where the request would go.'),
    headers: Type.Record(Type.String(), Type.String(), {
      description: 'Instead of credentials: `(from the kubeconfig)`.',
    }),
    body: text('The event, or its data.'),
  },
  { description: 'Of --dry-run: the request that is not sent.' },
);

export type InvocationAnswer = DeepReadonly<Static<typeof answerSchema>>;
export type InvocationRequest = DeepReadonly<Static<typeof requestSchema>>;

export const invocationLineSchema = Type.Union([answerSchema, requestSchema]);
