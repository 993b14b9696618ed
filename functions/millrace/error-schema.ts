/** The shape of a failure on standard error with `-o json`. */
import Type from 'typebox';
import { text } from './output-fields.ts';

export const errorLineSchema = Type.Object({
  error: Type.Object(
    {
      code: text(
        'A code of docs/reference/errors.md, one of the file system, or the word for the exit code.',
      ),
      exitCode: Type.Integer({ description: 'With which the command ends.' }),
      message: text('What failed, where and why.'),
      next: Type.Optional(text('One command to run, or one thing to do.')),
      details: Type.Optional(
        Type.Record(Type.String(), Type.Union([Type.String(), Type.Number()]), {
          description: 'What the message was made of.',
        }),
      ),
    },
    { description: 'What failed.' },
  ),
});
