/** `spec.schedule` of a suspend policy; shared/schedule defines its meaning. */
import Type from 'typebox';
import { field, type CelRule } from './field.ts';

/** A schedule keeps a bit for each window (shared/schedule/window-calendar.ts). */
const mostWindows = 16;
const mostExceptions = 128;

/** shared/schedule/cron-expression.ts checks it, with better messages than a pattern. */
const cron = (says: string, example: string) =>
  Type.String(field({ says, example }, { maxLength: 100 }));

const windowSchema = Type.Object(
  {
    name: Type.String(
      field(
        { says: 'Name of the window in status and messages.', example: 'night' },
        { minLength: 1, maxLength: 63 },
      ),
    ),
    open: cron(
      'When the window opens, as a cron expression of five fields on the wall clock of the time zone, or a macro such as @daily; everything that a CronJob accepts, except @every. A time that summer time skips means the first moment after the gap. A time that occurs twice means the first of the two.',
      '"0 20 * * 1-5"',
    ),
    close: cron(
      'When the window closes, in the same form. A window that opens and closes in the same minute is closed.',
      '"0 6 * * 2-6"',
    ),
  },
  field({ says: 'A window, from each opening to the next closing.' }),
);

const dateOrSpan: CelRule = {
  rule: 'has(self.date) ? !has(self.from) && !has(self.to) : has(self.from) && has(self.to) && timestamp(self.from) < timestamp(self.to)',
  message: 'an exception has either a date, or from and a later to',
};

const instant = (says: string, example: string) =>
  Type.String(field({ says, example }, { format: 'date-time' }));

const exceptionSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String(
        field(
          { says: 'Name of the exception in status and messages.', example: 'Christmas' },
          { maxLength: 63 },
        ),
      ),
    ),
    from: Type.Optional(instant('When it begins, with an offset.', '"2026-12-24T00:00:00+01:00"')),
    to: Type.Optional(instant('When it is over, with an offset.', '"2026-12-27T00:00:00+01:00"')),
    date: Type.Optional(
      Type.String(
        field(
          {
            says: 'A whole day in the time zone, instead of from and to.',
            example: '"2026-12-24"',
          },
          { maxLength: 10 },
        ),
      ),
    ),
    state: Type.Enum(
      ['Open', 'Closed'],
      field({ says: 'Open: work may run. Closed: it is held.', example: 'Open' }),
    ),
  },
  field(
    { says: 'A period in which the windows do not count.' },
    { 'x-millrace-rules': [dateOrSpan] },
  ),
);

const graceRule: CelRule = {
  rule: "has(self.action) && self.action == 'SuspendAfter' ? has(self.afterSeconds) && (!has(self.warnSeconds) || self.warnSeconds <= self.afterSeconds) : !has(self.afterSeconds) && !has(self.warnSeconds)",
  message:
    'afterSeconds is there if and only if the action is SuspendAfter, and warnSeconds is not longer',
};

const seconds = (says: string, example: string) =>
  Type.Integer(
    field({ says, unit: 'seconds', example }, { minimum: 0, maximum: 86_400, format: 'int32' }),
  );

const onCloseSchema = Type.Object(
  {
    action: Type.Optional(
      Type.Enum(
        ['Suspend', 'LetFinish', 'SuspendAfter'],
        field(
          {
            says: 'Suspend: running work is suspended at once. LetFinish: running work continues, and nothing starts. SuspendAfter: work that still runs after a grace period is suspended.',
            example: 'SuspendAfter',
          },
          { default: 'Suspend' },
        ),
      ),
    ),
    afterSeconds: Type.Optional(
      seconds('Grace period of SuspendAfter, counted from the closing.', '900'),
    ),
    warnSeconds: Type.Optional(
      seconds(
        'How long before the end of the grace period a warning is given, as an Event and an annotation.',
        '300',
      ),
    ),
  },
  field(
    { says: 'What happens to running work when the schedule closes.' },
    { 'x-millrace-rules': [graceRule] },
  ),
);

const hasTimes: CelRule = {
  rule: 'has(self.windows) || (has(self.exceptions) && size(self.exceptions) > 0)',
  message: 'a schedule has windows, exceptions, or both',
};

export const scheduleSchema = Type.Object(
  {
    timeZone: Type.String(
      field(
        {
          says: 'Time zone of the windows by its name in the tz database. Local and offsets are refused.',
          example: 'Europe/Berlin',
        },
        { maxLength: 64 },
      ),
    ),
    mode: Type.Optional(
      Type.Enum(
        ['RunInside', 'SuspendInside'],
        field(
          {
            says: 'RunInside: work may run inside the windows and is held outside. SuspendInside: it is held inside them.',
            example: 'SuspendInside',
          },
          { default: 'RunInside' },
        ),
      ),
    ),
    windows: Type.Optional(
      Type.Array(
        windowSchema,
        field(
          {
            says: 'The windows. The schedule is open while any of them is open. Without windows it is open except during exceptions.',
            example: '[{name: night, open: "0 20 * * 1-5", close: "0 6 * * 2-6"}]',
          },
          { minItems: 1, maxItems: mostWindows, 'x-millrace-unique': ['name'] },
        ),
      ),
    ),
    exceptions: Type.Optional(
      Type.Array(
        exceptionSchema,
        field(
          {
            says: 'Holidays and single dates. If two cover the same moment, the later one in the list decides.',
            example: '[{date: "2026-12-24", state: Open}]',
          },
          { maxItems: mostExceptions },
        ),
      ),
    ),
    onClose: Type.Optional(onCloseSchema),
  },
  field(
    { says: 'When work may run. Without it work may always run.' },
    { 'x-millrace-rules': [hasTimes] },
  ),
);
