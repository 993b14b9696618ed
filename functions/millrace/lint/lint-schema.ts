/** The shape of `millrace lint -o json`: one finding per line. */
import Type from 'typebox';
import { text } from '../output-fields.ts';

export const lintLineSchema = Type.Object(
  {
    file: text('As it was named on the command line; - for standard input.'),
    line: Type.Integer({ description: 'From 1 on.' }),
    column: Type.Integer({ description: 'From 1 on.' }),
    severity: Type.Enum(['error', 'warning'], {
      description:
        'An error is refused by the API server or by admission, or stops the Job from doing what the manifest says.',
    }),
    object: text('KIND/NAME; empty where the text itself cannot be read.'),
    path: text('The field, such as spec.flows[0].name; may be empty.'),
    message: text('What is wrong, and what to do.'),
  },
  { description: 'What is wrong in a manifest, or probably not meant.' },
);
