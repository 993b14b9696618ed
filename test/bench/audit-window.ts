import { open } from 'node:fs/promises';

/** The benchmark's part of one audit record (audit.k8s.io/v1, stage ResponseComplete). */
export interface Request {
  readonly verb: string;
  readonly userAgent: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  /** It stored nothing: admissions test a Job in this way. */
  readonly isDryRun: boolean;
  /** When the answer was complete, so after the commit. Milliseconds with microseconds. */
  readonly completedMs: number;
}

interface AuditRecord {
  readonly stage: string;
  readonly verb: string;
  readonly requestURI: string;
  readonly userAgent?: string;
  readonly objectRef?: {
    readonly resource?: string;
    readonly subresource?: string;
    readonly namespace?: string;
    readonly name?: string;
  };
  readonly responseStatus?: { readonly code?: number };
  readonly stageTimestamp: string;
}

/** Marks positions in a growing audit log, and reads the part between two of them. */
export class AuditWindow {
  readonly #file: string;

  constructor(file: string) {
    this.#file = file;
  }

  /** Byte offset of the current end. */
  async mark(): Promise<number> {
    await using file = await open(this.#file);
    return (await file.stat()).size;
  }

  async between(start: number, end: number): Promise<readonly Request[]> {
    await using file = await open(this.#file);
    const { buffer } = await file.read(Buffer.alloc(end - start), 0, end - start, start);
    return buffer
      .toString('utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as AuditRecord)
      .filter(({ stage }) => stage === 'ResponseComplete')
      .map(requestOf);
  }
}

function requestOf(record: AuditRecord): Request {
  const { resource = '', subresource = '', namespace = '', name = '' } = record.objectRef ?? {};
  return {
    verb: record.verb,
    userAgent: record.userAgent ?? '',
    resource,
    subresource,
    namespace,
    name,
    code: record.responseStatus?.code ?? 0,
    isDryRun: /[?&]dryRun=/.test(record.requestURI),
    completedMs: preciseMs(record.stageTimestamp),
  };
}

/** RFC 3339 with microseconds, which Date.parse would drop. */
function preciseMs(stamp: string): number {
  const micros = Number(/\.\d{3}(\d{3})/.exec(stamp)?.[1] ?? 0);
  return Date.parse(stamp) + micros / 1000;
}
