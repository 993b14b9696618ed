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
    resourceVersion: text(
      'The last resourceVersion of the object while it was suspended.',
      '4711',
      128,
    ),
  },
  field({ says: 'An object that was resumed.' }),
);

const conflictSchema = Type.Object(
  {
    policy: text('Kind and name of the other policy.', 'SuspendPolicy/weekend', 640),
    objects: count('Number of objects about which the two differ.', '3'),
    decides: text('Which of the two decides.', 'SuspendPolicy/nights', 640),
  },
  field({
    says: 'Another policy that selects the same objects and decides differently, or governs them, so that the capacity of this one has no effect.',
  }),
);

export const policyStates = ['Open', 'Closed', 'Invalid', 'Terminating'] as const;

export const suspendPolicyStatusSchema = Type.Object(
  {
    state: Type.Optional(
      Type.Enum(
        [...policyStates],
        field({
          says: 'Open: work may run. Closed: it is held. Invalid: the policy has a fault and does nothing.',
          example: 'Open',
        }),
      ),
    ),
    windows: Type.Optional(
      Type.Array(
        text('Name of a window or an exception.', 'night', 128),
        field(
          {
            says: 'The windows and exceptions in effect at the moment. Empty outside of all of them.',
          },
          { maxItems: 144 },
        ),
      ),
    ),
    lastTransition: Type.Optional(time('When the policy entered this state.')),
    nextTransition: Type.Optional(time('When the policy will leave this state. Absent: never.')),
    observedGeneration: Type.Optional(
      generation('Generation of the policy that the status describes.'),
    ),
    lastUpdateTime: Type.Optional(
      Type.String(
        field(
          {
            says: 'When this status was written. While objects only appear and disappear it is at most a second behind them.',
            example: '2026-11-21T10:00:05.123000Z',
          },
          { format: 'date-time' },
        ),
      ),
    ),
    selected: Type.Optional(count('Objects that it governs and that have not ended.', '30')),
    running: Type.Optional(count('Selected objects that may run.', '20')),
    held: Type.Optional(count('Selected objects that the policy holds.', '10')),
    terminating: Type.Optional(
      count(
        'Held objects whose Pods are still terminating. They count as running in the capacity.',
        '1',
      ),
    ),
    overridden: Type.Optional(
      count('Selected objects with an exception, by hand or by annotation.', '0'),
    ),
    unschedulable: Type.Optional(
      count('Held objects that request more than the whole capacity.', '0'),
    ),
    untouched: Type.Optional(
      count(
        'Selected objects that the policy must not change, because another controller manages them.',
        '0',
      ),
    ),
    next: Type.Optional(names('The held objects that start next, in their order.')),
    lastResumed: Type.Optional(
      Type.Array(
        resumedSchema,
        field({
          says: 'With a capacity: the objects that were resumed last, the latest first. Written before they are resumed: each counts as running until a newer version of it is seen, so that nothing else takes its capacity.',
        }),
      ),
    ),
    refused: Type.Optional(
      names(
        'Objects that run although they should be suspended, because the API server refuses it. Millrace tries again.',
      ),
    ),
    unreadable: Type.Optional(
      names(
        'Objects with an invalid or forbidden override, or with a priority that is not a number, which have no effect. An Event on the object says why.',
      ),
    ),
    leftAlone: Type.Optional(
      Type.Array(
        text('Kind, namespace and name, and why.', 'Job/team-a/etl (Owned)', 680),
        field(
          {
            says: `Selected objects that the policy does not suspend. Kueue: only Kueue suspends it; ManagedBy: spec.managedBy names another controller; Owned: its controller decides; SchedulingOnly: its running Jobs continue. At most ${mostNamed}.`,
          },
          { maxItems: mostNamed },
        ),
      ),
    ),
    wouldHold: Type.Optional(names('With dryRun: objects that would be suspended now.')),
    wouldResume: Type.Optional(names('With dryRun: objects that would be resumed now.')),
    conflicts: Type.Optional(
      Type.Array(
        conflictSchema,
        field(
          { says: 'Policies that decide differently about the same objects.' },
          { maxItems: 32 },
        ),
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
    reason: Type.Optional(
      text('Why the policy is in this state, as one CamelCase word.', 'WindowClosed'),
    ),
    message: Type.Optional(
      text('Why the policy is in this state, for people.', 'closed until 19:00'),
    ),
  },
  field({ says: 'What the policy does at the moment. Written by Millrace only.' }),
);

export type SuspendPolicyStatus = DeepReadonly<Type.Static<typeof suspendPolicyStatusSchema>>;
