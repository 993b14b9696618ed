/** The shape of `millrace schedule preview -o json`: one list for all policies. */
import Type from 'typebox';
import { moment, text } from '../output-fields.ts';

const weekday = text('Sun to Sat.');

export const previewsSchema = Type.Array(
  Type.Object({
    policy: text('KIND NAME.'),
    timeZone: text('Of the schedule, as in the IANA database.'),
    lines: Type.Array(
      Type.Object({
        utc: moment('When.'),
        local: text('The same in the zone of the schedule, with its offset.'),
        weekday,
        state: text('Open or Closed from then on.'),
        because: Type.Array(Type.String(), { description: 'Windows and exceptions, by name.' }),
        isClockChangeDay: Type.Boolean({ description: 'The clocks are set on this day.' }),
      }),
      { description: 'The state at the beginning, then each change of it.' },
    ),
    clockChanges: Type.Array(
      Type.Object({
        utc: moment('When.'),
        weekday,
        localBefore: text('What the clocks show, with the offset before.'),
        localAfter: text('What they show then.'),
      }),
      { description: 'When the clocks are set.' },
    ),
  }),
  { description: 'What the schedules do in the span.' },
);
