/**
 * The cases of the official conformance suite (CloudEvents conformance 0.4.1: HTTP feature, JSON format, minimum
 * events) and the rules of the HTTP binding 1.0.2. They are messages on a real connection, each in binary and in
 * structured mode. Cases of a single rule are in http-binding.test.ts.
 */
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasCode } from '#shared/domain/errors.ts';
import type { CloudEvent } from './cloud-event.ts';
import { readHttpEvent } from './http-binding.ts';

type Outcome =
  { readonly event: CloudEvent } | { readonly refused: unknown; readonly status: number };
type Headers = readonly (readonly [name: string, value: string])[];
type Attributes = Readonly<Record<string, unknown>>;

let server: Server;
let outcome: Outcome;
beforeAll(async () => {
  server = createServer((incoming, response) => {
    void buffer(incoming).then((body) => {
      outcome = outcomeOf(incoming.rawHeaders, body);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => server.close());

function outcomeOf(rawHeaders: readonly string[], body: Uint8Array): Outcome {
  try {
    return { event: readHttpEvent(rawHeaders, body) };
  } catch (error) {
    if (!hasCode(error, 'MR_EVENT_MALFORMED')) throw error;
    return { refused: error.fields['detail'], status: Number(error.fields['status'] ?? 400) };
  }
}

async function received(headers: Headers, body: string | Uint8Array = ''): Promise<Outcome> {
  const { port } = server.address() as AddressInfo;
  const options = { host: '127.0.0.1', port, method: 'POST', agent: false };
  await new Promise((resolve, reject) => {
    const sent = request(
      { ...options, headers: ['Host', 'example.org', ...headers.flat()] },
      (response) => {
        response.resume().once('end', resolve);
      },
    );
    sent.once('error', reject).end(body);
  });
  return outcome;
}

const minimal = { specversion: '1.0', id: 'e-1', type: 'org.example.test', source: '/example' };
const structuredType = 'application/cloudevents+json';

const structured = (members: Attributes, contentType = structuredType): Promise<Outcome> =>
  received([['Content-Type', contentType]], JSON.stringify(members));

/** Encodes more than necessary, which a receiver must accept. */
const header = ([name, value]: [string, unknown]): [string, string] => [
  `ce-${name}`,
  encodeURIComponent(String(value)),
];

function binary({ datacontenttype, ...others }: Attributes, body?: string): Promise<Outcome> {
  const type: Headers =
    typeof datacontenttype === 'string' ? [['Content-Type', datacontenttype]] : [];
  return received([...Object.entries(others).map(header), ...type], body);
}

const event = (attributes: Attributes = {}): Outcome => {
  const { id, type, source } = minimal;
  return { event: { id, type, source, extensions: {}, ...attributes } };
};

describe('attributes that conform', () => {
  const core = {
    datacontenttype: 'text/plain',
    dataschema: 'https://example.org/schema',
    subject: 'tests',
    time: '2018-04-05T17:31:00Z',
  };
  it.each<[string, Attributes]>([
    ['the required ones alone', {}],
    ['all of the specification', core],
    ['a time to the nanosecond', { time: '2018-04-05T17:31:00.000000001Z' }],
    ['a time east of UTC', { time: '2018-04-05T18:31:00+01:00' }],
    ['a time west of UTC', { time: '2018-04-05T16:31:00-01:00' }],
    ['a source that is a fragment', { source: '#part' }],
    ['a source that is a path', { source: '/sensors/tn-1234567/alerts' }],
    ['a source without scheme', { source: '//example.org/path?query=1' }],
    ['a source that is a URN', { source: 'urn:uuid:6e8bc430-9c3a-11d9-9669-0800200c9a66' }],
    ['a source that is an address', { source: 'mailto:team@example.org' }],
    ['a schema that is a URN', { dataschema: 'urn:example:schema:1' }],
    ['a subject beyond ASCII', { subject: 'Euro € 😀 "quoted" 100%' }],
  ])('%s are the same in both modes', async (_name, attributes) => {
    expect(await binary({ ...minimal, ...attributes })).toEqual(event(attributes));
    expect(await structured({ ...minimal, ...attributes })).toEqual(event(attributes));
  });

  it('extensions of every type of the type system are the same in both modes', async () => {
    const extensions = {
      anumber: 10,
      atruth: true,
      atext: 'text',
      auri: 'https://example.org',
      areference: '//example.org/path',
      atime: '2023-03-31T15:12:00Z',
      bytes: 'TWE=',
      beyondascii: 'naïve 😀',
    };
    const expected = event({ extensions: { ...extensions, anumber: '10', atruth: 'true' } });
    expect(await binary({ ...minimal, ...extensions })).toEqual(expected);
    expect(await structured({ ...minimal, ...extensions })).toEqual(expected);
  });

  it('optional ones that are null in JSON are absent', async () => {
    const unset = { datacontenttype: null, dataschema: null, subject: null, time: null };
    expect(await structured({ ...minimal, ...unset })).toEqual(event());
  });
});

describe('data', () => {
  it.each([
    ['application/json', { message: 'words' }],
    ['application/json; charset=utf-8', { message: 'Hé 🌎' }],
    ['application/json; charset=utf-8', 'Hé 🌎'],
    ['application/json; charset=utf-8', ['Hé', '🌎']],
    ['application/vnd.example+json;v=1', [1, null, false]],
  ])('of %s is parsed in both modes: %j', async (datacontenttype, data) => {
    const expected = event({ datacontenttype, data });
    expect(await binary({ ...minimal, datacontenttype }, JSON.stringify(data))).toEqual(expected);
    expect(await structured({ ...minimal, datacontenttype, data })).toEqual(expected);
  });
  it.each([
    ['text/plain; charset=us-ascii', 'plain words\n'],
    ['text/plain; charset=utf-8', 'Hé 🌎\n'],
    ['application/xml; charset=utf-8', '<msg>Hé 🌎</msg>\n'],
  ])('of %s stays as it is: bytes in binary mode, text in structured mode', async (type, text) => {
    const attributes = { ...minimal, datacontenttype: type };
    const bytes = Buffer.from(text);
    expect(await binary(attributes, text)).toEqual(event({ datacontenttype: type, data: bytes }));
    expect(await structured({ ...attributes, data: text })).toEqual(
      event({ datacontenttype: type, data: text }),
    );
    expect(await structured({ ...attributes, data_base64: bytes.toString('base64') })).toEqual(
      event({ datacontenttype: type, data: bytes }),
    );
  });
  it.each([
    structuredType,
    `${structuredType}; charset=utf-8`,
    `${structuredType};charset="UTF-8"`,
    'Application/CloudEvents+JSON ; charset=utf-8 ; profile="a;b"',
  ])('is read in structured mode by the content type %s', async (contentType) => {
    expect(await structured({ ...minimal, data: { message: 'words' } }, contentType)).toEqual(
      event({ data: { message: 'words' } }),
    );
  });
});

describe('headers', () => {
  const named = (rename: (name: string) => string): Headers =>
    Object.entries(minimal).map(([name, value]) => [rename(`ce-${name}`), value]);
  const withSubject = (subject: string): Promise<Outcome> =>
    received([...named(String), ['ce-subject', subject]]);

  it.each<[string, (name: string) => string]>([
    ['upper', (name) => name.toUpperCase()],
    ['title', (name) => name.replace('ce-', 'Ce-')],
    ['mixed', (name) => name.replace('ce-s', 'cE-S')],
  ])('are known by names in %s case', async (_name, rename) => {
    expect(await received(named(rename))).toEqual(event());
  });
  it('without the prefix are none of the event', async () => {
    const others: Headers = [
      ['Prefer', 'reply'],
      ['traceparent', `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01`],
      ['cex-thing', 'x'],
    ];
    expect(await received([...named(String), ...others])).toEqual(event());
  });
  it.each([
    ['Euro%20%E2%82%AC%20%F0%9F%98%80', 'Euro € 😀'],
    ['Euro%20%e2%82%ac%20%f0%9F%98%80', 'Euro € 😀'],
    ['%6E%65edless', 'needless'],
    ['once%2525', 'once%25'],
    ['  blanks around ', 'blanks around'],
    ['"a quoted string"', 'a quoted string'],
    ['"an \\"escaped\\" quote, a \\\\"', 'an "escaped" quote, a \\'],
    ['"quoted "and not', 'quoted and not'],
    ['"quoted%20%22and encoded%22"', 'quoted "and encoded"'],
    ['a \\ outside', 'a \\ outside'],
  ])('are decoded once: %s', async (value, subject) => {
    expect(await withSubject(value)).toEqual(event({ subject }));
  });
  it.each([
    '%',
    'ends in %2',
    '%g0',
    '%0$',
    '%C0%A0',
    '%ED%A0%80',
    '%ED%B0%80',
    '%ED%A0%80%ED%B0%80',
    '%E2',
    '%E2x',
    '%82',
    '%E2%E2',
    '%F8%88%80%80%80',
  ])('are refused when they are not percent-encoded UTF-8: %s', async (value) => {
    expect(await withSubject(value)).toEqual({
      refused: 'header ce-subject is not percent-encoded UTF-8',
      status: 400,
    });
  });
  it.each(['"open', 'open"', '"closed" "open', '"escaped \\"', '"'])(
    'are refused when a quote does not end: %s',
    async (value) => {
      expect(await withSubject(value)).toEqual({
        refused: 'header ce-subject has a quote that does not end',
        status: 400,
      });
    },
  );
});

describe('what does not conform', () => {
  const without = (name: string): Attributes =>
    Object.fromEntries(Object.entries(minimal).filter(([key]) => key !== name));
  const names = ['specversion', 'id', 'type', 'source'];
  const inBothModes: [string, Attributes, string][] = [
    ...names.map((name): [string, Attributes, string] => [
      `no ${name}`,
      without(name),
      `${name} is missing`,
    ]),
    ...[...names, 'subject', 'dataschema', 'time'].map((name): [string, Attributes, string] => [
      `an empty ${name}`,
      { ...minimal, [name]: '' },
      `${name} is empty`,
    ]),
    ...['0.3', '0.9', '1', '1.0.2', '2.0'].map((specversion): [string, Attributes, string] => [
      `the version ${specversion}`,
      { ...minimal, specversion },
      `specversion is "${specversion}", only "1.0" is taken`,
    ]),
    ...['midday', '2018-04-05T18:31Z', '2018-04-05T18:31:00X', '2018-04-05T18:31:00+25:00']
      .concat('2018-04-05T18:31:00+xx:00', '2018-04-05T18:31:00+05', '2018-04-05T18:31:00')
      .map((time): [string, Attributes, string] => [
        `the time ${time}`,
        { ...minimal, time },
        'time is not an RFC 3339 timestamp',
      ]),
    ['a source with a blank', { ...minimal, source: 'two words' }, 'source is not a URI-reference'],
    [
      'a relative schema',
      { ...minimal, dataschema: '/schema' },
      'dataschema is not an absolute URI',
    ],
    [
      'a control character',
      { ...minimal, subject: 'line\nline' },
      'subject has a character that the specification excludes',
    ],
    [
      'a punctuated extension',
      { ...minimal, 'my.extension': 'x' },
      'attribute name "my.extension" is not lower-case alphanumeric',
    ],
    [
      'a content type without a subtype',
      { ...minimal, datacontenttype: 'xyz' },
      '"xyz" is not a media type',
    ],
  ];
  it.each(inBothModes)('%s is refused in both modes', async (_name, attributes, reason) => {
    expect(await binary(attributes)).toMatchObject({ refused: reason });
    expect(await structured(attributes)).toEqual({ refused: reason, status: 400 });
  });

  it.each<[string, Attributes, string]>([
    ['a number as id', { id: 25 }, 'id is not a string'],
    ['an object as id', { id: { of: 'it' } }, 'id is not a string'],
    ['an empty content type', { datacontenttype: '' }, 'datacontenttype is empty'],
    ['an extension in capitals', { MyExt: 'x' }, 'attribute name "MyExt" is not lower-case'],
    ['an extension with a fraction', { ext: 1.5 }, 'ext is neither a string, a boolean nor'],
    ['data twice', { data: 'x', data_base64: 'eA==' }, 'data and data_base64 are both given'],
    ['base64 without padding', { data_base64: 'eA' }, 'data_base64 is not base64'],
    ['base64 for URLs', { data_base64: '_-8=' }, 'data_base64 is not base64'],
  ])('%s is refused in structured mode', async (_name, members, reason) => {
    expect(await structured({ ...minimal, ...members })).toEqual({
      refused: expect.stringContaining(reason) as string,
      status: 400,
    });
  });

  it('a header for the content type beside the content type is refused', async () => {
    expect(
      await received([
        ...Object.entries(minimal).map(header),
        ['ce-datacontenttype', 'application/json'],
        ['Content-Type', 'application/json'],
      ]),
    ).toEqual({ refused: 'datacontenttype travels as content-type', status: 400 });
  });

  it.each([
    'application/cloudevents-batch+json',
    'application/cloudevents-batch+json; charset=UTF-8',
    'Application/CloudEvents-Batch+JSON',
    'application/cloudevents-batch',
    'application/cloudevents-batch+xml',
  ])('a batch is refused, however well its events conform: %s', async (contentType) => {
    for (const body of ['[]', JSON.stringify([minimal]), JSON.stringify([{ id: 'e-1' }])]) {
      expect(await received([['Content-Type', contentType]], body)).toEqual({
        refused: 'one request carries one event; batches are not taken',
        status: 415,
      });
    }
  });
  it.each(['application/cloudevents+xml', 'application/cloudevents+avro; charset=utf-8'])(
    'an event format other than JSON is refused, also beside headers: %s',
    async (contentType) => {
      const headers = Object.entries(minimal).map(header);
      expect(await received([...headers, ['Content-Type', contentType]], '<event/>')).toEqual({
        refused: expect.stringMatching(
          /^the event format of .* is not taken, only JSON$/,
        ) as string,
        status: 415,
      });
    },
  );
});
