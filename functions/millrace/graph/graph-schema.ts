/** The shape of `millrace graph -o json`: a line for each flow. */
import Type from 'typebox';
import { text } from '../output-fields.ts';

export const graphLineSchema = Type.Object(
  {
    name: text('Of the flow.'),
    nodes: Type.Array(
      Type.Object({
        name: text('Of the step.'),
        state: Type.Optional(text('Absent: nothing is known, as of a manifest.')),
      }),
      { description: 'The steps, in the order of the flow.' },
    ),
    edges: Type.Array(Type.Array(Type.String(), { minItems: 2, maxItems: 2 }), {
      description: 'A step that has to succeed, and one that waits for it.',
    }),
  },
  { description: 'A flow.' },
);
