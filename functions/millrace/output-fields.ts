/** Parts that several output shapes share. */
import Type, { type TString } from 'typebox';

export const text = (description: string): TString => Type.String({ description });

/** RFC 3339, UTC. */
export const moment = (description: string): TString =>
  Type.String({ description: `${description} RFC 3339, UTC.`, format: 'date-time' });

export const keySchema = Type.Object(
  {
    apiVersion: text('Group and version, as in a manifest.'),
    kind: text('Kind of the object.'),
    namespace: text('Its namespace; empty for an object of the whole cluster.'),
    name: text('Its name.'),
    uid: text('Its uid.'),
  },
  { description: 'The object that is decided about.' },
);

export const reasonsSchema = Type.Array(
  Type.Object({
    code: text('One CamelCase word, as in the reason of a condition.'),
    message: text('A sentence for people; may be empty.'),
  }),
  { description: 'Why it was decided so.' },
);

export const writesSchema = Type.Array(
  Type.Object({
    verb: text('`create`, `apply`, `patch`, `patchStatus`, `delete` or `emitEvent`.'),
    kind: text('Kind of the object; of an Event that of the object that it is about.'),
    namespace: text('Its namespace; empty for an object of the whole cluster.'),
    name: text('Its name.'),
    reason: Type.Optional(text('Reason of an Event. Absent: it is not an Event.')),
  }),
  { description: 'What the decision wanted written, without the content.' },
);
