/** The status of a suspend policy. */
import Type from 'typebox';
import type { DeepReadonly } from './deep-readonly.ts';
import { field } from './field.ts';
import { conditionSchema, count, generation, text, time } from './status-fields.ts';

/** Most objects that are named in a list of the status. */
export const mostNamed = 50;

const conditionTypes =
  'Accepted, Held, CapacityFull, Unschedulable, Conflicting, ManualOverride and Refused';

const names = (says: string) =>
  Type.Array(
    text('Kind, namespace and name.', 'Job/team-a/etl', 640),
    field({ says: `${says} At most ${mostNamed}.` }, { maxItems: mostNamed }),
  );

const resumedSchema = Type.Object(
  {
    object: text('Kind, namespace and name.', 'Job/team-a/etl', 640),
    resourceVersion: text('The last one that it had while it was suspended.', '4711', 128),
  },
  field({ says: 'An object that was let in.' }),
);

const conflictSchema = Type.Object(
  {
    policy: text('Kind and name of the other policy.', 'SuspendPolicy/weekend', 640),
    objects: count('Objects about which both decide, and differently.', '3'),
    decides: text('Which of the two decides.', 'SuspendPolicy/nights', 640),
  },
  field({
    says: 'Another policy that selects the same objects and decides otherwise, or governs them and makes the capacity of this one void.',
  }),
);

export const policyStates = ['Open', 'Closed', 'Invalid', 'Terminating'] as const;

export const suspendPolicyStatusSchema = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(
        [...policyStates],
        field({
          says: 'Open: work may run. Closed: it is held. Invalid: the policy cannot be followed, and does nothing.',
          example: 'Open',
        }),
      ),
    ),
    windows: Type.Optional(
      Type.Array(
        text('Name of a window or an exception.', 'night', 128),
        field({ says: 'What makes it so just now; none outside all windows.' }, { maxItems: 144 }),
      ),
    ),
    lastTransition: Type.Optional(time('When it came to this state.')),
    nextTransition: Type.Optional(time('When it will leave it. Absent: never.')),
    observedGeneration: Type.Optional(
      generation('Generation of the policy that the status speaks of.'),
    ),
    lastUpdateTime: Type.Optional(
      Type.String(
        field(
          {
            says: 'When this status was written. While objects simply come and go it is at most a second behind them.',
            example: '2026-11-21T10:00:05.123000Z',
          },
          { format: 'date-time' },
        ),
      ),
    ),
    selected: Type.Optional(count('Objects that it governs and that have not ended.', '30')),
    running: Type.Optional(count('Of these, those that may run.', '20')),
    held: Type.Optional(count('Of these, those that it holds.', '10')),
    terminating: Type.Optional(
      count(
        'Held ones whose Pods are still terminating; they count as running in the capacity.',
        '1',
      ),
    ),
    overridden: Type.Optional(
      count('Of these, those with an exception, by hand or by annotation.', '0'),
    ),
    unschedulable: Type.Optional(count('Held ones that want more than the whole capacity.', '0')),
    untouched: Type.Optional(
      count('Objects that it selects and must not touch: they are managed by something else.', '0'),
    ),
    next: Type.Optional(names('The held objects that start next, in their order.')),
    lastResumed: Type.Optional(
      Type.Array(
        resumedSchema,
        field({
          says: 'With a capacity: what it let in last, the latest first. Written before they are resumed: each counts as running until a newer version of it is seen, so that nothing else takes its room.',
        }),
      ),
    ),
    refused: Type.Optional(
      names(
        'What goes on although it is to be suspended: the API server refuses that. It is tried again.',
      ),
    ),
    unreadable: Type.Optional(
      names(
        'What carries an override that cannot be read or that the policy forbids, or a priority that is no number: it has no effect. An Event on the object says why.',
      ),
    ),
    leftAlone: Type.Optional(
      Type.Array(
        text('Kind, namespace and name, and why.', 'Job/team-a/etl (Owned)', 680),
        field(
          {
            says: `What it selects and does not stop. Kueue: it is Kueue's to suspend; ManagedBy: spec.managedBy names another controller; Owned: it has a controller, which decides; SchedulingOnly: what runs of it goes on. At most ${mostNamed}.`,
          },
          { maxItems: mostNamed },
        ),
      ),
    ),
    wouldHold: Type.Optional(names('With dryRun: what would be suspended now.')),
    wouldResume: Type.Optional(names('With dryRun: what would be resumed now.')),
    conflicts: Type.Optional(
      Type.Array(
        conflictSchema,
        field({ says: 'Policies that decide otherwise about the same objects.' }, { maxItems: 32 }),
      ),
    ),
    conditions: Type.Optional(
      Type.Array(
        conditionSchema('policy', `One of ${conditionTypes}.`, {
          reason: 'WindowClosed',
          message: '12 objects are held until 2026-11-21T19:00:00Z',
        }),
        field(
          {
            says: `${conditionTypes}.`,
            example: 'kubectl wait --for=condition=Held suspendpolicy.millrace.dev/NAME',
          },
          { maxItems: 16 },
        ),
      ),
    ),
    reason: Type.Optional(text('Why it is in this state, as one CamelCase word.', 'WindowClosed')),
    message: Type.Optional(text('Why it is in this state, for people.', 'closed until 19:00')),
  },
  field({ says: 'What the policy does just now. Written by Millrace only.' }),
);

export type SuspendPolicyStatus = DeepReadonly<Type.Static<typeof suspendPolicyStatusSchema>>;
