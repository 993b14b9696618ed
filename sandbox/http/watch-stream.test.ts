import { describe, expect, it } from 'vitest';
import { configMap, configMaps, type Served, served } from './testing/served.ts';

interface Line {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly code?: number;
    readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
    readonly columnDefinitions?: unknown;
    readonly rows?: readonly { readonly cells: readonly unknown[] }[];
  };
}

function open(front: Served, query: string, init: RequestInit = {}): Promise<Response> {
  const headers = { ...front.authorization, ...(init.headers as Record<string, string>) };
  return fetch(`${front.listening.url}${configMaps}?${query}`, { ...init, headers });
}

/** Reads lines until `count` have come or the stream ends. */
async function linesOf(response: Response, count: number): Promise<Line[]> {
  const lines: Line[] = [];
  let rest = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    rest += decoder.decode(chunk, { stream: true });
    const parts = rest.split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts.map((part) => JSON.parse(part) as Line));
    if (lines.length >= count) break;
  }
  return lines;
}

const asTable = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

describe('a watch over HTTP', () => {
  it('sends what there is, then what happens, and ends after timeoutSeconds', async () => {
    await using front = await served();
    await front.ask(`POST ${configMaps}`, configMap('one'));
    const response = await open(front, 'watch=1&timeoutSeconds=1');
    await front.ask(`POST ${configMaps}`, configMap('two'));
    await front.ask(`DELETE ${configMaps}/one`);
    const lines = await linesOf(response, 99);
    expect(lines.map(({ type, object }) => [type, object.metadata.name])).toEqual([
      ['ADDED', 'one'],
      ['ADDED', 'two'],
      ['DELETED', 'one'],
    ]);
  });

  it('with initial events marks their end with a bookmark', async () => {
    await using front = await served();
    const query =
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const response = await open(front, query);
    const [line] = await linesOf(response, 1);
    expect(line).toMatchObject({
      type: 'BOOKMARK',
      object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
    });
  });

  it('as Tables sends the columns once', async () => {
    await using front = await served();
    await front.ask(`POST ${configMaps}`, configMap('one'));
    await front.ask(`POST ${configMaps}`, configMap('two'));
    const lines = await linesOf(await open(front, 'watch=1', { headers: asTable }), 2);
    expect(lines.map(({ object }) => object.rows?.[0]?.cells[0])).toEqual(['one', 'two']);
    expect(lines.map(({ object }) => object.columnDefinitions === null)).toEqual([false, true]);
  });

  it('from a version that is forgotten begins and ends with the error 410', async () => {
    await using front = await served();
    await front.ask(`POST ${configMaps}`, configMap('one'));
    const { store } = front.sandbox;
    store.history.compact(store.revision);
    const response = await open(front, 'watch=1&resourceVersion=2');
    expect(response.status).toBe(200);
    const lines = await linesOf(response, 99);
    expect(lines).toMatchObject([{ type: 'ERROR', object: { kind: 'Status', code: 410 } }]);
  });

  it('that cannot begin is answered, not opened', async () => {
    await using front = await served();
    const { status } = await front.ask(`GET ${configMaps}?watch=1&resourceVersion=abc`);
    expect(status).toBeGreaterThanOrEqual(400);
  });

  it('ends in the store when the client leaves', async () => {
    await using front = await served();
    const leaving = new AbortController();
    await open(front, 'watch=1', { signal: leaving.signal });
    const watched: unknown[] = [];
    const watch = front.sandbox.api.watch.bind(front.sandbox.api);
    front.sandbox.api.watch = (call, onLine) => {
      const end = watch(call, onLine);
      return () => {
        watched.push('ended');
        end();
      };
    };
    const second = new AbortController();
    await open(front, 'watch=1', { signal: second.signal });
    second.abort();
    await expect.poll(() => watched).toEqual(['ended']);
    leaving.abort();
  });

  it('does not keep the server from closing', async () => {
    const front = await served();
    const response = await open(front, 'watch=1');
    await front.listening.close();
    expect(await linesOf(response, 1)).toEqual([]);
  });
});
