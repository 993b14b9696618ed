/**
 * The audit log of a test control plane: one JSON line per answered request (level Metadata). It shows
 * the client of each request, and creates that must not happen twice.
 */
import { createReadStream } from 'node:fs';

const newline = 0x0a;

export interface AuditEntry {
  readonly auditId: string;
  readonly verb: string;
  readonly user: string;
  /** Empty if the client sent none. */
  readonly userAgent: string;
  readonly requestUri: string;
  /** HTTP status of the answer; 0 if the connection broke before it. */
  readonly code: number;
  /** `ResponseComplete`; for a watch also `ResponseStarted`; `Panic`. */
  readonly stage: string;
  /** Lower-case plural; empty for requests without a resource, such as /version. */
  readonly resource: string;
  readonly subresource: string;
  readonly apiGroup: string;
  readonly namespace: string;
  /** Empty for lists, and for creates with generateName. */
  readonly name: string;
  /** Milliseconds since the epoch with three decimals, because the log has microseconds. */
  readonly receivedAtMs: number;
  readonly answeredAtMs: number;
}

/** Every given field must match; a regular expression matches anywhere in the field. */
export type AuditFilter = {
  readonly [
    Field in 'verb' | 'user' | 'userAgent' | 'resource' | 'subresource' | 'namespace' | 'name'
  ]?: string | RegExp;
} & {
  readonly code?: number;
  /** Only requests received at or after this moment. */
  readonly sinceMs?: number;
};

/** The matching answered requests. A watch counts once, when it starts. */
export async function auditEntries(
  path: string,
  filter: AuditFilter = {},
): Promise<readonly AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const line of linesWith(path, wordsOf(filter))) {
    const entry = parseEntry(line);
    const isRequest = entry.verb !== 'watch' || entry.stage === 'ResponseStarted';
    if (isRequest && fits(entry, filter)) found.push(entry);
  }
  return found;
}

/**
 * Words that every matching line contains. The log of a whole run has some hundred thousand lines, and
 * each test needs a few. Only lines with these words are parsed.
 */
function wordsOf({ namespace, name, user, resource }: AuditFilter): readonly string[] {
  return [namespace, name, user, resource]
    .filter((value) => typeof value === 'string' && /^[\w.:-]+$/.test(value))
    .map((value) => JSON.stringify(value));
}

/** Without the last line while it is being written. */
async function* linesWith(path: string, words: readonly string[]): AsyncGenerator<string> {
  const [first = '', ...others] = words;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
    // Searched as bytes, because decoding all of them would take most of the time.
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    const end = bytes.lastIndexOf(newline) + 1;
    rest = bytes.subarray(end);
    for (let from = bytes.indexOf(first); from >= 0 && from < end;) {
      const next = bytes.indexOf(newline, from) + 1;
      const start = from === 0 ? 0 : bytes.lastIndexOf(newline, from - 1) + 1;
      const line = bytes.toString('utf8', start, next - 1);
      if (others.every((word) => line.includes(word))) yield line;
      from = bytes.indexOf(first, next);
    }
  }
}

export function fits(entry: AuditEntry, filter: AuditFilter): boolean {
  const { code, sinceMs, ...texts } = filter;
  if (code !== undefined && entry.code !== code) return false;
  if (sinceMs !== undefined && entry.receivedAtMs < sinceMs) return false;
  return Object.entries(texts).every(([field, wanted]) => {
    const value = entry[field as keyof typeof texts];
    return typeof wanted === 'string' ? value === wanted : wanted.test(value);
  });
}

/**
 * Requests that created an object: answered 201, by create or by server-side apply. Dry runs and
 * subresources, such as a binding or a token review, do not count.
 */
export async function successfulCreates(
  path: string,
  filter: AuditFilter = {},
): Promise<readonly AuditEntry[]> {
  const created = await auditEntries(path, { ...filter, code: 201 });
  return created.filter(
    ({ subresource, requestUri }) => subresource === '' && !/[?&]dryRun=/.test(requestUri),
  );
}

/** `namespace/name` of each object that was created more than once. */
export function createdTwice(creates: readonly AuditEntry[]): readonly string[] {
  const names = creates.map(({ namespace, name }) => `${namespace}/${name}`);
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}

/** The number of requests of each client, by the first word of its user agent. */
export function requestsByUserAgent(entries: readonly AuditEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { userAgent } of entries) {
    const client = userAgent.split(' ')[0] ?? '';
    counts.set(client, (counts.get(client) ?? 0) + 1);
  }
  return counts;
}

interface AuditLine {
  readonly auditID: string;
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly user?: { readonly username?: string };
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly apiGroup?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly requestReceivedTimestamp: string;
  readonly stageTimestamp: string;
}

export function parseEntry(line: string): AuditEntry {
  const parsed = JSON.parse(line) as AuditLine;
  const { objectRef = {} } = parsed;
  return {
    auditId: parsed.auditID,
    verb: parsed.verb,
    user: parsed.user?.username ?? '',
    userAgent: parsed.userAgent ?? '',
    requestUri: parsed.requestURI,
    code: parsed.responseStatus?.code ?? 0,
    stage: parsed.stage,
    resource: objectRef.resource ?? '',
    subresource: objectRef.subresource ?? '',
    apiGroup: objectRef.apiGroup ?? '',
    namespace: objectRef.namespace ?? '',
    name: objectRef.name ?? '',
    receivedAtMs: preciseMs(parsed.requestReceivedTimestamp),
    answeredAtMs: preciseMs(parsed.stageTimestamp),
  };
}

/** `Date.parse` drops microseconds, and latencies of an API server are often below a millisecond. */
function preciseMs(stamp: string): number {
  const fraction = /\.(\d+)Z$/.exec(stamp)?.[1] ?? '0';
  const wholeSeconds = Date.parse(stamp.replace(/\.\d+Z$/, 'Z'));
  return wholeSeconds + Number(`0.${fraction}`) * 1_000;
}
