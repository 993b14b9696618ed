/** The table of writes, whose results on a real API server the sandbox must reproduce. */
import type { Json, JsonObject } from '#shared/domain/objects.ts';
import { configMap, gadget, job, type MergedKind, pod, widget } from './merge-kinds.ts';

export interface Step {
  readonly write: 'create' | 'update' | 'json' | 'merge' | 'strategic' | 'apply';
  readonly by: string;
  readonly subresource?: 'status';
  readonly force?: boolean;
  /** Sent within the same second as the step before, if possible. */
  readonly soon?: boolean;
  /** For objects, apiVersion, kind and metadata.name are added. */
  readonly body: Json | ((live: JsonObject) => Json);
}

export interface Sequence {
  readonly name: string;
  readonly kind: MergedKind;
  readonly steps: readonly Step[];
}

const apply = (by: string, body: Json, more: Partial<Step> = {}): Step => ({
  write: 'apply',
  by,
  body,
  ...more,
});
const spec = (fields: JsonObject): JsonObject => ({ spec: fields });
const forced = { force: true } as const;
const toStatus = { subresource: 'status' } as const;
const port = (number: number, more: JsonObject = {}): JsonObject => ({ port: number, ...more });
/** The live object with another spec, as in a PUT. */
const put =
  (change: (live: JsonObject) => JsonObject) =>
  (live: JsonObject): Json => ({ ...live, ...change(live) });
const specOf = (live: JsonObject) => live['spec'] as JsonObject;

const applySequences: readonly Sequence[] = [
  {
    name: 'two who apply share a value, and the field goes with the last of them',
    kind: configMap,
    steps: [
      apply('a', { data: { x: '1', y: '2' } }),
      apply('b', { data: { x: '1' } }, { soon: true }),
      apply('a', { data: { x: '1', y: '2' } }),
      apply('a', { data: { y: '2' } }),
      apply('b', { data: { x: '3' } }),
      apply('b', {}),
      apply('a', {}),
    ],
  },
  {
    name: 'a conflict names every field and owner, and force takes them',
    kind: widget,
    steps: [
      apply('a', spec({ size: 1, labels: { a: '1', b: '1' }, args: ['x'] })),
      apply('b', spec({ size: 2 })),
      apply('b', spec({ size: 2, labels: { a: '2' }, args: ['y'] })),
      { write: 'merge', by: 'c', body: spec({ labels: { b: '2' } }) },
      apply('b', spec({ size: 2, labels: { a: '2', b: '3' } })),
      apply('b', spec({ size: 2, labels: { a: '2', b: '3' }, args: ['y'] }), forced),
      apply('a', spec({ size: 1, args: ['x'] })),
      apply('a', spec({ size: 2 })),
      apply('b', spec({ labels: { b: '3' } })),
    ],
  },
  {
    name: 'items of a map list come and go by their keys, defaults of keys included',
    kind: widget,
    steps: [
      apply('a', spec({ ports: [port(1, { note: 'one' }), port(2, { protocol: 'UDP' })] })),
      apply('b', spec({ ports: [port(3), port(2, { protocol: 'UDP', note: 'two' }), port(1)] })),
      apply('a', spec({ ports: [port(1, { protocol: 'TCP', hosts: ['h', 'i'] })] })),
      apply('b', spec({ ports: [port(1, { hosts: ['j', 'h'] }), port(4)] })),
      apply('b', spec({ ports: [port(1, { note: 'mine' })] })),
      apply('a', spec({ ports: [] })),
      apply('b', spec({})),
    ],
  },
  {
    name: 'the order of list items follows who applies',
    kind: widget,
    steps: [
      apply('a', spec({ tags: ['a', 'b', 'c', 'd'] })),
      apply('b', spec({ tags: ['x', 'c', 'y', 'a', 'z'] })),
      apply('c', spec({ tags: ['d', 'x'] })),
      apply('b', spec({ tags: ['z', 'a'] })),
      apply('a', spec({ tags: ['d'] })),
      apply('a', spec({ tags: [] })),
    ],
  },
  {
    name: 'atomic lists and maps have one owner, set lists one for each value',
    kind: widget,
    steps: [
      apply('a', spec({ args: ['x'], selector: { a: '1' }, tags: ['t'] })),
      apply('b', spec({ args: ['x'], selector: { a: '1' } })),
      apply('b', spec({ selector: { a: '1', b: '2' } })),
      apply('b', spec({ selector: { b: '2' }, tags: ['u'] }), forced),
      apply('a', spec({ tags: ['t', 'u'] })),
      apply('b', spec({})),
      apply('a', spec({ tags: [] })),
    ],
  },
  {
    name: 'empty and null values are owned as upstream owns them',
    kind: widget,
    steps: [
      apply('a', spec({ labels: {}, args: [], tags: [], free: {}, place: {} })),
      apply('a', spec({ nothing: null, labels: { x: '1' }, free: { a: null } })),
      apply('b', spec({ labels: { y: '1' }, free: { a: { b: 1 } } })),
      apply('a', spec({ labels: {} })),
      apply('b', spec({ labels: { y: '1' } })),
      apply('a', spec({})),
    ],
  },
  {
    name: 'a struct goes with its last field',
    kind: widget,
    steps: [
      apply('a', spec({ place: { row: 1, column: 2 }, size: 1 })),
      apply('b', spec({ place: { column: 2 } })),
      apply('a', spec({ size: 1 })),
      apply('b', spec({})),
      apply('a', {}),
    ],
  },
  {
    name: 'fields beyond the schema are owned one by one, their lists as a whole',
    kind: widget,
    steps: [
      apply('a', spec({ free: { a: { b: 1, c: [1, { d: 2 }] } }, half: { known: { x: '1' } } })),
      apply('b', spec({ free: { a: { e: 2 } }, half: { other: { y: 1 } } })),
      apply('b', spec({ free: { a: { c: [2] } } })),
      apply('b', spec({ free: { a: 5 } }), forced),
      apply('a', spec({ free: { a: 5, z: {} } })),
      apply('a', spec({})),
    ],
  },
  {
    name: 'a kind without schema merges maps and replaces lists',
    kind: gadget,
    steps: [
      apply('a', { spec: { a: 1, list: [{ name: 'x' }] }, status: { s: 1 }, top: 'x' }),
      apply('b', { spec: { b: 1 }, status: { t: 1 } }),
      apply('b', { spec: { list: [] } }),
      { write: 'merge', by: 'm', body: { status: { s: 2 }, spec: { a: null } } },
      apply('a', { spec: { list: [{ name: 'x' }] } }),
      apply('a', {}),
    ],
  },
  {
    name: 'the status belongs to its own endpoint',
    kind: widget,
    steps: [
      apply('a', { spec: { size: 1 }, status: { phase: 'Lost' } }),
      apply('s', { spec: { size: 9 }, status: { phase: 'Up', count: 1 } }, toStatus),
      apply('a', { status: { conditions: [{ type: 'Ready', status: 'True' }] } }, toStatus),
      apply('s', { status: { conditions: [{ type: 'Ready', status: 'False' }] } }, toStatus),
      { write: 'merge', by: 'm', ...toStatus, body: { status: { count: 2 }, spec: { size: 7 } } },
      { write: 'merge', by: 'm', body: { status: { count: 3 }, metadata: { labels: { l: '1' } } } },
      apply('s', { status: { phase: 'Up', count: 3 } }, toStatus),
      apply('s', { status: { phase: 'Down' } }, { ...toStatus, ...forced }),
      apply('a', { metadata: { annotations: { note: '1' } } }, toStatus),
    ],
  },
  {
    name: 'metadata: labels, annotations, finalizers and owners are shared item by item',
    kind: configMap,
    steps: [
      apply('a', { metadata: { labels: { a: '1' }, finalizers: ['x.y/a'] } }),
      apply('b', {
        metadata: { annotations: { n: '1' }, labels: { a: '1', b: '1' }, finalizers: ['x.y/b'] },
      }),
      { write: 'merge', by: 'm', body: { metadata: { finalizers: ['x.y/b', 'x.y/a', 'x.y/c'] } } },
      apply('a', {}),
      apply('b', { metadata: { labels: { b: '1' } } }),
      { write: 'merge', by: 'm', body: { metadata: { finalizers: null } } },
    ],
  },
  {
    name: 'what cannot be applied is refused in the words of the API server',
    kind: widget,
    steps: [
      apply('a', spec({ size: 1 })),
      apply('a', { nope: 1 }),
      apply('a', spec({ size: 'big' })),
      apply('a', spec({ color: 5 })),
      apply('a', spec({ color: { a: [1, 'b'] } })),
      apply('a', spec({ labels: ['a'] })),
      apply('a', spec({ tags: ['a', 'a'] })),
      apply('a', spec({ tags: [{ a: 1 }] })),
      apply('a', spec({ tags: { a: 1 } })),
      apply('a', spec({ ports: [port(1), port(1, { protocol: 'TCP' })] })),
      apply('a', spec({ ports: [null] })),
      apply('a', { metadata: { managedFields: [] } }),
    ],
  },
];

const container = { name: 'main', image: 'busybox' };
const suspended = (more: JsonObject = {}, ofContainer: JsonObject = {}): JsonObject =>
  spec({
    suspend: true,
    manualSelector: true,
    managedBy: 'merge.test.millrace.dev/nobody',
    selector: { matchLabels: { own: 'yes' } },
    template: {
      metadata: { labels: { own: 'yes' } },
      spec: { restartPolicy: 'Never', containers: [{ ...container, ...ofContainer }] },
    },
    ...more,
  });

const updateSequences: readonly Sequence[] = [
  {
    name: 'who changes a field owns it, who removes one owns nothing more',
    kind: widget,
    steps: [
      { write: 'create', by: 'c', body: spec({ size: 1, labels: { a: '1' }, tags: ['t'] }) },
      {
        write: 'update',
        by: 'u',
        body: put((live) => spec({ ...specOf(live), size: 2, tags: ['t', 'u'] })),
      },
      { write: 'merge', by: 'c', body: spec({ size: 2 }) },
      { write: 'merge', by: 'c', body: spec({ size: 3, labels: null }) },
      { write: 'json', by: 'j', body: [{ op: 'add', path: '/spec/labels', value: {} }] },
      { write: 'json', by: 'j', body: [{ op: 'remove', path: '/spec/tags/0' }] },
      apply('a', spec({ size: 3 })),
      { write: 'merge', by: 'c', body: spec({ size: 4 }) },
      { write: 'update', by: 'u', body: put(() => spec({})) },
    ],
  },
  {
    name: 'an update takes from those who applied, and applying less lets the value stay',
    kind: widget,
    steps: [
      apply('a', spec({ size: 1, ports: [port(1, { note: 'x' }), port(2)] })),
      {
        write: 'update',
        by: 'u',
        body: put(() => spec({ size: 2, ports: [port(1, { note: 'y' }), port(3)] })),
      },
      apply('a', spec({ ports: [port(2)] })),
      apply('a', spec({ size: 2 })),
      apply('a', {}),
    ],
  },
  {
    name: 'duplicates in a set are one field',
    kind: configMap,
    steps: [
      { write: 'create', by: 'c', body: { metadata: { labels: { a: '1' } }, data: { x: '1' } } },
      { write: 'merge', by: 'm', body: { metadata: { finalizers: ['x.y/a', 'x.y/a'] } } },
      { write: 'merge', by: 'n', body: { metadata: { finalizers: ['x.y/a'] } } },
      { write: 'merge', by: 'm', body: { metadata: { finalizers: ['x.y/a', 'x.y/a', 'x.y/a'] } } },
      apply('a', { metadata: { finalizers: ['x.y/b'] } }),
      { write: 'merge', by: 'm', body: { metadata: { finalizers: null } } },
    ],
  },
  {
    name: 'managedFields may be sent, emptied and are then tracked no more until an apply',
    kind: configMap,
    steps: [
      { write: 'create', by: 'c', body: { data: { x: '1' } } },
      {
        write: 'merge',
        by: 'm',
        body: {
          metadata: {
            managedFields: [
              {
                manager: 'sent',
                operation: 'Update',
                apiVersion: 'v1',
                time: '2020-01-01T00:00:00Z',
                fieldsType: 'FieldsV1',
                fieldsV1: { 'f:data': { 'f:x': {}, '.': {} } },
              },
            ],
          },
        },
      },
      { write: 'merge', by: 'm', body: { metadata: { managedFields: [{}] } } },
      { write: 'merge', by: 'm', body: { data: { y: '1' } } },
      apply('a', { data: { y: '1', z: '1' } }),
      apply('a', { data: { y: '2', x: '2' } }),
    ],
  },
  {
    name: 'the eleventh who updates makes the oldest one',
    kind: configMap,
    steps: [
      ...Array.from('abcdefghijkl', (by): Step => ({
        write: by === 'a' ? 'create' : 'merge',
        by,
        body: { data: { [by]: '1' } },
      })),
      { write: 'merge', by: 'm', body: { data: { a: '2' } } },
    ],
  },
  {
    name: 'kubectl takes over from its client-side apply without a conflict',
    kind: configMap,
    steps: [
      {
        write: 'create',
        by: 'kubectl-client-side-apply',
        body: {
          metadata: {
            annotations: {
              'kubectl.kubernetes.io/last-applied-configuration':
                '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"annotations":{}},"data":{"x":"1","y":"1"}}\n',
            },
          },
          data: { x: '1', y: '1' },
        },
      },
      apply('other', { data: { x: '2' } }),
      apply('kubectl', {
        data: { x: '2' },
        metadata: { labels: { lt: 'x' }, annotations: { h: '<&>' } },
      }),
      { write: 'merge', by: 'm', body: { data: { y: '3' } } },
      apply('kubectl', { data: { x: '4', y: '4' } }),
    ],
  },
];

const builtInSequences: readonly Sequence[] = [
  {
    name: 'a Job: structs are there from the start, lists by key',
    kind: job,
    steps: [
      {
        write: 'create',
        by: 'c',
        body: suspended({}, { env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80 }] }),
      },
      { write: 'strategic', by: 'k', body: spec({ parallelism: 3, activeDeadlineSeconds: 60 }) },
      apply('a', spec({ parallelism: 3 })),
      apply('a', spec({ parallelism: 2 })),
      apply('a', { ...spec({ parallelism: 2 }), metadata: { labels: { x: '1' } } }, forced),
      {
        write: 'strategic',
        by: 'k',
        body: {
          metadata: {
            finalizers: ['x.y/a', 'x.y/b'],
            annotations: { a: '1' },
          },
          spec: { template: { spec: { nodeSelector: { zone: 'a' } } } },
        },
      },
      {
        write: 'strategic',
        by: 'k',
        body: {
          metadata: {
            '$deleteFromPrimitiveList/finalizers': ['x.y/a'],
            '$setElementOrder/finalizers': ['x.y/c', 'x.y/b'],
            finalizers: ['x.y/c'],
            annotations: { $patch: 'delete' },
          },
          spec: { template: { spec: { nodeSelector: { $patch: 'replace', disk: 'ssd' } } } },
        },
      },
      { write: 'merge', by: 'k', body: { metadata: { finalizers: null } } },
      {
        write: 'merge',
        by: 'jc',
        ...toStatus,
        body: { status: { startTime: null, conditions: [] } },
      },
    ],
  },
  {
    name: 'a Job that is applied',
    kind: job,
    steps: [
      apply('a', suspended({}, { resources: { requests: { cpu: '1' } } })),
      apply('a', suspended({}, { resources: { requests: { cpu: '1' } } })),
      apply('b', spec({ suspend: true, template: { spec: { nodeSelector: { a: 'b' } } } })),
      apply('a', suspended({ parallelism: 2 }, { resources: {} })),
      apply('b', spec({ suspend: true })),
    ],
  },
  {
    name: 'a Pod',
    kind: pod,
    steps: [
      {
        write: 'create',
        by: 'c',
        body: spec({
          automountServiceAccountToken: false,
          schedulerName: 'nobody',
          containers: [container, { ...container, name: 'side', command: ['sleep'] }],
          volumes: [{ name: 'v', emptyDir: {} }],
        }),
      },
      {
        write: 'strategic',
        by: 'k',
        body: spec({
          '$setElementOrder/containers': [{ name: 'main' }, { name: 'side' }],
          containers: [{ name: 'side', image: 'busybox:2' }],
        }),
      },
      apply('a', spec({ containers: [{ name: 'main', image: 'busybox:3' }] })),
      apply('a', spec({ containers: [{ name: 'main', image: 'busybox:3' }] }), forced),
      {
        write: 'strategic',
        by: 'kubelet',
        ...toStatus,
        body: { status: { conditions: [{ type: 'Ready', status: 'False' }], message: 'soon' } },
      },
      {
        write: 'strategic',
        by: 'kubelet',
        ...toStatus,
        body: { status: { conditions: [{ type: 'Ready', status: 'True' }], phase: 'Running' } },
      },
      { write: 'strategic', by: 'k', body: spec({ containers: [{ image: 'x' }] }) },
      { write: 'strategic', by: 'k', body: spec({ containers: [{ name: 'main', $patch: 'x' }] }) },
      { write: 'strategic', by: 'k', body: { metadata: { $retainKeys: 'x' } } },
      { write: 'strategic', by: 'k', body: spec({ $setElementOrder: 1 }) },
      { write: 'strategic', by: 'k', body: spec({ $setElementOrder: [] }) },
      { write: 'strategic', by: 'k', body: spec({ $deleteFromPrimitiveList: [] }) },
      { write: 'strategic', by: 'k', body: spec({ containers: [[]] }) },
      { write: 'strategic', by: 'k', body: spec({ containers: [{ name: 'x' }, 1] }) },
      { write: 'strategic', by: 'k', body: spec({ containers: [{ $patch: 'merge' }] }) },
      { write: 'strategic', by: 'k', body: spec({ $retainKeys: ['x'], containers: [] }) },
      { write: 'strategic', by: 'k', body: { $patch: 'nope' } },
      {
        write: 'strategic',
        by: 'k',
        body: spec({
          '$setElementOrder/containers': [{ name: 'main' }],
          containers: [{ name: 'side', image: 'x' }],
        }),
      },
      { write: 'strategic', by: 'k', body: { metadata: { '$setElementOrder/finalizers': 'x' } } },
    ],
  },
  {
    name: 'a JSON patch is as lenient as the API server',
    kind: configMap,
    steps: [
      {
        write: 'create',
        by: 'c',
        body: { metadata: { annotations: { 'a/b': '1' } }, data: { x: '1' } },
      },
      ...(
        [
          [{ op: 'replace', path: '/data/q', value: '1' }],
          [{ op: 'copy', from: '/data/nope', path: '/data/r' }],
          [{ op: 'move', from: '/data/nope', path: '/data/r' }],
          [{ op: 'move', from: '/data/q', path: '/data/s' }],
          [{ op: 'remove', path: '/data/nope' }],
          [{ op: 'add', path: '/nope/x', value: '1' }],
          [{ op: 'add', path: '/data/t' }],
          [{ op: 'test', path: '/data/nope', value: null }],
          [{ op: 'test', path: '/data/nope', value: 'x' }],
          [{ op: 'test', path: '/data/x', value: '2' }],
          [
            { op: 'test', path: '/data/x', value: '1' },
            { op: 'remove', path: '/data/x' },
          ],
          [{ op: 'replace', path: '/metadata/annotations/a~1b', value: '2' }],
          [{ op: 'remove', path: '/metadata/annotations/a/b' }],
          [{ op: 'test', path: '/metadata/finalizers', value: [] }],
          [{ op: 'add', path: '/metadata/finalizers', value: ['a.b/c'] }],
          [{ op: 'add', path: '/metadata/finalizers/-', value: 'a.b/e' }],
          [{ op: 'add', path: '/metadata/finalizers/1', value: 'a.b/d' }],
          [{ op: 'add', path: '/metadata/finalizers/9', value: 'a.b/f' }],
          [{ op: 'replace', path: '/metadata/finalizers/3', value: 'a.b/f' }],
          [{ op: 'remove', path: '/metadata/finalizers' }],
          [{ op: 'jump', path: '/data/x' }],
          [{ op: 'add', value: '1' }],
          [{ path: '/data/x', value: '1' }],
          [{ op: 'remove', path: '' }],
          [{ op: 'add', path: 'data', value: '1' }],
          [1],
          { op: 'add' },
        ] as readonly Json[]
      ).map((body): Step => ({ write: 'json', by: 'j', body, soon: true })),
    ],
  },
];

export const sequences: readonly Sequence[] = [
  ...applySequences,
  ...updateSequences,
  ...builtInSequences,
];
