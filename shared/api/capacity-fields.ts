/** How much may run at once, and in which order: `spec.capacity`, `order`, `fairness`, `preemption`. */
import Type from 'typebox';
import { field, type CelRule } from './field.ts';

const wholeSeconds = (says: string, example: string, minimum: number) =>
  Type.Integer(
    field({ says, unit: 'seconds', example }, { minimum, maximum: 2_147_483_647, format: 'int32' }),
  );

const limitsSomething: CelRule = {
  rule: 'has(self.maxJobs) || has(self.resources)',
  message: 'a capacity has maxJobs, resources, or both',
};

export const capacityFields = {
  capacity: Type.Optional(
    Type.Object(
      {
        maxJobs: Type.Optional(
          Type.Integer(
            field(
              {
                says: 'How many of the governed objects may run at once. One whose Pods still terminate counts.',
                example: '20',
              },
              { minimum: 0, maximum: 1_000_000, format: 'int32' },
            ),
          ),
        ),
        resources: Type.Optional(
          Type.Record(
            Type.String(),
            Type.Unsafe<string | number>({
              'x-kubernetes-int-or-string': true,
              pattern: '^[0-9]+([.][0-9]+)?(m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei)?$',
            }),
            field(
              {
                says: 'How much the governed Jobs may request at once, by resource: the requests of a Pod for each Pod that runs at once. JobFlows and DaemonJobs count in maxJobs only.',
                example: '{cpu: "200", memory: 800Gi}',
              },
              { maxProperties: 16 },
            ),
          ),
        ),
      },
      field(
        { says: 'How much may run at once while it is open. Absent: everything.' },
        { 'x-millrace-rules': [limitsSomething] },
      ),
    ),
  ),
  order: Type.Optional(
    Type.Object(
      {
        priorityFrom: Type.Optional(
          Type.String(
            field(
              {
                says: 'Where the priority of an object is read: the PriorityClass of its Pods, or a label of the object that holds a number. Without either it is 0.',
                example: '"label:batch/priority"',
              },
              {
                default: 'PriorityClass',
                maxLength: 323,
                pattern: '^(PriorityClass|label:[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?)$',
              },
            ),
          ),
        ),
        strategy: Type.Optional(
          Type.Enum(
            ['StrictFIFO', 'BestEffortFIFO'],
            field(
              {
                says: 'StrictFIFO: nothing passes one that does not fit. BestEffortFIFO: what fits starts past it. One that never fits is passed in either case.',
                example: 'BestEffortFIFO',
              },
              { default: 'StrictFIFO' },
            ),
          ),
        ),
      },
      field({ says: 'In which order what is held starts: by priority, then by age, then by UID.' }),
    ),
  ),
  fairness: Type.Optional(
    Type.Object(
      {
        agingSeconds: Type.Optional(
          wholeSeconds('Each such wait raises the priority by one. Absent: it does not.', '600', 1),
        ),
        maxWaitSeconds: Type.Optional(
          wholeSeconds(
            'After such a wait it is the first in the order, and nothing starts before it. Absent: never.',
            '86400',
            1,
          ),
        ),
        groupBy: Type.Optional(
          Type.String(
            field(
              {
                says: 'Who shares the room: namespaces, or the values of a label. Among objects of the same priority, the next to start belongs to the one with the least running. Absent: the oldest.',
                example: 'Namespace',
              },
              {
                maxLength: 323,
                pattern: '^(Namespace|label:[A-Za-z0-9]([-A-Za-z0-9_./]*[A-Za-z0-9])?)$',
              },
            ),
          ),
        ),
      },
      field({
        says: 'Rules against starvation: no object waits for ever, and no group waits for all the others.',
      }),
    ),
  ),
  preemption: Type.Optional(
    Type.Object(
      {
        mode: Type.Optional(
          Type.Enum(
            ['Never', 'LowerPriority'],
            field(
              {
                says: 'Never: what runs goes on. LowerPriority: what runs is suspended for one of higher priority that would fit then; waiting does not count in this.',
                example: 'LowerPriority',
              },
              { default: 'Never' },
            ),
          ),
        ),
        minRunSeconds: Type.Optional(
          wholeSeconds(
            'What runs for less is not suspended for another one; what has not started is.',
            '1800',
            0,
          ),
        ),
      },
      field({ says: 'Whether what runs gives way.' }),
    ),
  ),
};
