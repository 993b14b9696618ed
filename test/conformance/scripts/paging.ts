/** Lists in pages, and lists at a past version. */
import { family } from '../harness/script.ts';
import type { Session } from '../harness/session.ts';
import { secret } from './samples.ts';

async function five(s: Session): Promise<void> {
  for (const name of ['e', 'c', 'a', 'd', 'b']) {
    await s.create(secret(name, { labels: { odd: 'ace'.includes(name) ? 'yes' : 'no' } }));
  }
}

async function pages(s: Session, query: Record<string, string | number>): Promise<void> {
  let token: string | undefined = undefined;
  for (let page = 0; page < 6; page += 1) {
    const { body } = await s.list('Secret', {
      ...query,
      ...(token === undefined ? {} : { continue: token }),
    });
    token = body.metadata.continue;
    s.note(
      'names',
      body.items?.map(({ metadata }) => metadata.name),
    );
    if (token === undefined || token === '') return;
  }
}

export const pagingScripts = family('paging', {
  'a list is sorted by name': async (s) => {
    await five(s);
    await s.list('Secret');
  },
  'an empty list has no null': async (s) => {
    await s.list('Secret');
    await s.list('Secret', { limit: 3 });
  },
  'pages of two': async (s) => {
    await five(s);
    await pages(s, { limit: 2 });
  },
  'a page that holds all has no continue': async (s) => {
    await five(s);
    await pages(s, { limit: 5 });
  },
  'a limit of 0 is none': async (s) => {
    await five(s);
    await pages(s, { limit: 0 });
  },
  'pages with a selector do not tell how many remain': async (s) => {
    await five(s);
    await pages(s, { limit: 2, labelSelector: 'odd=yes' });
  },
  'pages with a field selector': async (s) => {
    await five(s);
    await pages(s, { limit: 2, fieldSelector: 'metadata.name!=b' });
  },
  'later pages tell of the time of the first': async (s) => {
    await five(s);
    const { body } = await s.list('Secret', { limit: 2 });
    await s.create(secret('bb'));
    await s.create(secret('zz'));
    await s.delete('Secret', 'd');
    await pages(s, { limit: 2, continue: body.metadata.continue ?? '' });
    await s.list('Secret', { limit: 10, continue: body.metadata.continue ?? '' });
  },
  'a bad continue token': async (s) => {
    await s.list('Secret', { limit: 2, continue: 'nonsense' });
    await s.list('Secret', { limit: 2, continue: 'bm9uc2Vuc2U' });
  },
  'a continue token and a resourceVersion exclude each other': async (s) => {
    await five(s);
    const { body } = await s.list('Secret', { limit: 2 });
    const token = body.metadata.continue ?? '';
    await s.list('Secret', { limit: 2, continue: token, resourceVersion: '1' });
    await s.list('Secret', { limit: 2, continue: token, resourceVersion: '0' });
  },
  'a limit must be a number': async (s) => {
    await s.list('Secret', { limit: 'two' });
    await s.list('Secret', { limit: -1 });
    await s.list('Secret', { limit: 1.5 });
  },
  'a list from resourceVersion 0 takes what is there': async (s) => {
    const { body } = await s.create(secret('a'));
    // Waits until the real server's cache has it.
    await s.list('Secret', { resourceVersion: body.metadata.resourceVersion });
    await s.list('Secret', { resourceVersion: '0' });
    await s.list('Secret', { resourceVersion: '0', resourceVersionMatch: 'NotOlderThan' });
  },
  'a list at an exact resourceVersion is of that time': async (s) => {
    const { body } = await s.create(secret('a'));
    await s.create(secret('b'));
    const { resourceVersion } = body.metadata;
    const exact = await s.list('Secret', { resourceVersion, resourceVersionMatch: 'Exact' });
    s.note('same version', exact.body.metadata.resourceVersion === resourceVersion);
  },
  'resourceVersionMatch needs a resourceVersion and a known word': async (s) => {
    await s.list('Secret', { resourceVersionMatch: 'Exact' });
    await s.list('Secret', { resourceVersion: '0', resourceVersionMatch: 'Exact' });
    await s.list('Secret', { resourceVersion: '1', resourceVersionMatch: 'Sometimes' });
  },
  'a resourceVersion is a number': async (s) => {
    await s.list('Secret', { resourceVersion: 'abc' });
    await s.read('Secret', 'a', { query: { resourceVersion: 'abc' } });
  },
  'a list at an exact version of the past is expired or shown': async (s) => {
    await five(s);
    const { body } = await s.list('Secret');
    await s.delete('Secret', 'a');
    const { resourceVersion } = body.metadata;
    const then = await s.list('Secret', {
      resourceVersion,
      resourceVersionMatch: 'Exact',
      limit: 3,
    });
    s.note(
      'names',
      then.body.items?.map(({ metadata }) => metadata.name),
    );
  },
});
