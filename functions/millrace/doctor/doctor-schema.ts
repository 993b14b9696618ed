/** The shape of `millrace doctor -o json`: a line for each check. */
import Type from 'typebox';
import { text } from '../output-fields.ts';

export const doctorLineSchema = Type.Object(
  {
    group: text('What is examined, such as cluster, webhooks or redis.'),
    about: text('The check.'),
    verdict: Type.Enum(['ok', 'warn', 'fail', 'skip'], {
      description: 'Only fail makes the command end with 9. skip: it could not be examined.',
    }),
    detail: text('What was found.'),
    next: Type.Optional(text('One command that mends it. Of every warn and fail.')),
  },
  { description: 'What a check found.' },
);
