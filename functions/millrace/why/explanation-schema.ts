/** The shape of `millrace why -o json`, one explanation a line. */
import Type, { type Static, type TObject } from 'typebox';
import type { DeepReadonly } from '#shared/api/deep-readonly.ts';
import { moment, text } from '../output-fields.ts';

const namedSchema = Type.Object({
  kind: text('Kind of the object.'),
  namespace: text('Its namespace; empty for an object of the whole cluster.'),
  name: text('Its name.'),
  part: Type.Optional(
    text('A step of a JobFlow, a node of a DaemonJob, a component of an AppWrapper.'),
  ),
});

const causeFields = {
  object: namedSchema,
  reason: text('One CamelCase word, as it is stored.'),
  message: text(
    'As it is stored; the words of the API server, of Kueue, the scheduler and the kubelet are theirs.',
  ),
  source: text('Where this is stored.'),
  until: Type.Optional(moment('When it ends by itself. Absent: nothing says so.')),
  next: Type.Optional(text('A command that shows more or ends it.')),
};

export type Named = DeepReadonly<Static<typeof namedSchema>>;

/** Something that the object waits for or failed because of. */
export interface Cause extends DeepReadonly<Static<TObject<typeof causeFields>>> {
  /** Its own causes. */
  readonly because: readonly Cause[];
}

const causes = (description: string) =>
  Type.Array(Type.Unsafe<Cause>({ $ref: '#/$defs/cause' }), { description });

export const explanationSchema = Type.Object(
  {
    object: namedSchema,
    state: text('As its status says; empty before it has one, and of a part.'),
    waits: Type.Boolean({
      description:
        'It has not ended, and something keeps it from going on. Where false, the causes say by what it failed.',
    }),
    causes: causes('Empty: nothing is known to keep it from going on.'),
    next: text('One command to run next.'),
  },
  {
    description: 'Why an object does not continue, or why it failed.',
    $defs: {
      cause: Type.Object(
        { ...causeFields, because: causes('What it comes from.') },
        { description: 'Something that the object waits for or failed by.' },
      ),
    },
  },
);

export type Explanation = DeepReadonly<Static<typeof explanationSchema>>;
