import { expect, it } from 'vitest';
import { resources } from '#shared/domain/resources.ts';
import { watchEvents } from './watch-events.ts';

async function* bytes(...lines: readonly object[]): AsyncGenerator<Buffer> {
  for (const line of lines) yield Buffer.from(`${JSON.stringify(line)}\n`);
}

const metadata = { name: 'one', namespace: 'ns', uid: 'u1', resourceVersion: '5' };
const read = (...lines: readonly object[]) =>
  watchEvents(bytes(...lines), resources.Job, { verb: 'watch', path: '/jobs' });

it.each(['ADDED', 'MODIFIED', 'DELETED'])('reads %s with its object', async (type) => {
  const { value } = await read({ type, object: { metadata } }).next();
  expect(value).toMatchObject({ type, object: { kind: 'Job', metadata } });
});

it('reads of a bookmark its version', async () => {
  const { value } = await read({ type: 'BOOKMARK', object: { metadata } }).next();
  expect(value).toEqual({ type: 'BOOKMARK', resourceVersion: '5' });
});

it('an ERROR event is thrown as its error', async () => {
  const status = { kind: 'Status', code: 410, reason: 'Expired', message: 'too old' };
  await expect(read({ type: 'ERROR', object: status }).next()).rejects.toMatchObject({
    code: 'MR_API_GONE',
  });
});

it.each([
  ['bookmark without resourceVersion', { type: 'BOOKMARK', object: { metadata: {} } }],
  ['bookmark is no object', { type: 'BOOKMARK' }],
  ['bookmark metadata is no object', { type: 'BOOKMARK', object: {} }],
  ['watch event is no object', []],
  ['watch event of type "OTHER"', { type: 'OTHER', object: { metadata } }],
])('takes what makes no sense for a broken connection: %s', async (detail, line) => {
  await expect(read(line).next()).rejects.toMatchObject({
    code: 'MR_API_UNREACHABLE',
    fields: { detail },
  });
});
