/** A watch as a stream of JSON lines; k8s.io/apiserver pkg/endpoints/handlers/watch.go. */
import type { ServerResponse } from 'node:http';
import type { WatchLine } from '../api/api-answer.ts';
import { StatusError } from '../apimachinery/status-error.ts';
import { type ErrorLine, type LineShaping, shapedLine } from './wire-shape.ts';
import { statusBody } from './respond.ts';

export interface WatchRequest {
  readonly response: ServerResponse;
  /** Starts the watch and returns a function that ends it. Throws StatusError. */
  readonly start: (onLine: (line: WatchLine) => void) => () => void;
  readonly shaping: LineShaping;
  readonly timeoutSeconds: number | undefined;
}

/** Without `timeoutSeconds`. Real servers choose a time between 30 and 60 minutes at random. */
const defaultTimeoutSeconds = 2700;
/** A client that is further behind is disconnected, and lists again. */
const maxPendingBytes = 32 * 1024 * 1024;

/** Returns a function that ends the stream. Throws StatusError before anything is sent. */
export function streamWatch(watch: WatchRequest): () => void {
  const { response, shaping, timeoutSeconds = defaultTimeoutSeconds } = watch;
  let isFirst = true;
  const past: string[] = [];
  let write = (text: string): void => void past.push(text);
  const stop = startOrExplain(watch, (line) => {
    write(`${JSON.stringify(shapedLine(line, shaping(), isFirst))}\n`);
    isFirst = false;
  });

  response.writeHead(200, { 'Content-Type': 'application/json', 'Transfer-Encoding': 'chunked' });
  response.flushHeaders();
  const end = (): void => {
    clearTimeout(timer);
    stop.now();
    if (!response.writableEnded) response.end();
  };
  write = (text) => {
    if (response.writableEnded || response.destroyed) return;
    response.write(text);
    if (response.writableLength > maxPendingBytes) response.destroy();
  };
  const timer = setTimeout(end, timeoutSeconds * 1000);
  response.on('close', end);
  if (past.length > 0) write(past.join(''));
  if (stop.isOver) end();
  return end;
}

interface Started {
  readonly now: () => void;
  /** No more lines will follow. */
  readonly isOver: boolean;
}

/** A watch from a version that is too old begins, and ends with an ERROR line (410). */
function startOrExplain(
  { start }: WatchRequest,
  onLine: (line: WatchLine | ErrorLine) => void,
): Started {
  try {
    return { now: start(onLine), isOver: false };
  } catch (error) {
    if (!(error instanceof StatusError) || error.code !== 410) throw error;
    onLine({ type: 'ERROR', object: statusBody(error) });
    return { now: () => undefined, isOver: true };
  }
}
