/** The fields that limit and order what runs at once: `spec.capacity`, `order`, `fairness`, `preemption`. */
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
                says: 'How many of the governed objects may run at once. An object whose Pods still terminate counts.',
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
        { says: 'How much may run at once while the schedule is open. Absent: everything.' },
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
                says: 'Source of the priority of an object: the PriorityClass of its Pods, or a label of the object with a number as its value. If there is none, the priority is 0.',
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
                says: 'StrictFIFO: nothing starts before an object that does not fit. BestEffortFIFO: objects that fit start before it. An object that can never fit delays nothing in either case.',
                example: 'BestEffortFIFO',
              },
              { default: 'StrictFIFO' },
            ),
          ),
        ),
      },
      field({
        says: 'The order in which held objects start: by priority, then by age, then by UID.',
      }),
    ),
  ),
  fairness: Type.Optional(
    Type.Object(
      {
        agingSeconds: Type.Optional(
          wholeSeconds(
            'The priority of a held object rises by one each time it has waited this long. Absent: it does not rise.',
            '600',
            1,
          ),
        ),
        maxWaitSeconds: Type.Optional(
          wholeSeconds(
            'An object that has waited this long is the first in the order, and nothing starts before it. Absent: never.',
            '86400',
            1,
          ),
        ),
        groupBy: Type.Optional(
          Type.String(
            field(
              {
                says: 'Groups that share the capacity: namespaces, or the values of a label. Among objects of the same priority, the next one to start is from the group that runs least. Absent: the oldest starts.',
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
                says: 'Never: running work continues. LowerPriority: running work is suspended for an object of higher priority that would then fit. Time spent waiting does not raise this priority.',
                example: 'LowerPriority',
              },
              { default: 'Never' },
            ),
          ),
        ),
        minRunSeconds: Type.Optional(
          wholeSeconds(
            'Work that has run for less than this is not suspended for other work. Work that has not started is.',
            '1800',
            0,
          ),
        ),
      },
      field({ says: 'Whether running work is suspended for other work.' }),
    ),
  ),
};
